"""Text as such: decoding, language, sentences, index terms, tokens, main text of HTML; knows no room."""
