"""The promises of docs/reliability.md, kept many times over: a few times in every test run, all of them by `make soak`."""
