# make run    sets everything up and opens the window
# make test   sets everything up, checks the code and runs the tests
# make check  format, lint, types, layers
# make lock   resolves constraints.txt anew
.DEFAULT_GOAL := run
.PHONY: run test check setup lock screenshots clean

BIN := .venv/bin
READY := .venv/.ready

setup: $(READY)

$(READY): pyproject.toml constraints.txt scripts/setup
	@scripts/setup

run: setup
	@scripts/require-display
	@$(BIN)/python -m desktop

test: check
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest

check: setup
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

lock: setup
	@scripts/lock

screenshots: setup
	@$(BIN)/python -m tests.e2e.screenshots docs

clean:
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
