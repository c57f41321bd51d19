"""One turn from question to stored answer; async, knows no Qt."""
