# make run    sets everything up and opens the window
# make test   sets up the tests too, with PyTorch, checks the code and runs them
# make check  format, lint, types, layers, subjects of commits
# make soak   tries every promise of docs/reliability.md as often as that page says; takes hours
# make audit  known vulnerabilities, licences (docs/licences.md), bill of materials (dist/sbom.json)
# make docs   builds the site of docs/ into site/, and fails where a link is broken; python3 -m http.server -d site shows it
# make test-install   installs the wheel with uv, pipx and pip on every Python that is here, and uses it; takes minutes
# make dist   builds the packages that this system can build into dist/: .deb, AppImage, wheel (docs/packaging.md); takes long
# make test-dist      installs and uses those packages on a clean Debian; as root, takes minutes
# make release VERSION=0.2.0 [DRY=1]   version, changelog, packages, SHA-256, tag; DRY=1 does it in a copy
# make lock   writes requirements.lock and requirements-dev.lock: the version and the hashes of every package
# make translations   finds new texts for the translators and compiles what they wrote
.DEFAULT_GOAL := run
.PHONY: run test soak audit check docs test-install dist test-dist release setup setup-test lock translations screenshots clean

BIN := .venv/bin
READY := .venv/.ready
NEEDED := pyproject.toml requirements.lock scripts/setup scripts/embedding_models.py scripts/entailment.safetensors scripts/hatch_build.py

setup: $(READY)

$(READY): $(NEEDED)
	@scripts/setup

setup-test: .venv/.ready-test

.venv/.ready-test: $(NEEDED) requirements-dev.lock requirements-torch.txt
	@scripts/setup test

run: setup
	@scripts/require-display
	@$(BIN)/python -m desktop

test: check
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

soak: setup-test
	@FOOTNOTE_SOAK=1 QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -q -p no:randomly -o faulthandler_timeout=0 tests/soak

check: setup-test
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/vulture
	@$(BIN)/python scripts/check-commits

audit: setup-test
	@scripts/audit

lock: setup-test
	@scripts/lock

docs: setup-test
	@$(BIN)/python scripts/site_pages.py

test-install: setup-test
	@scripts/test-install

dist: setup-test
	@$(BIN)/python scripts/bundle $(DIST)

test-dist: setup-test
	@scripts/test-dist

release: setup-test
	@$(BIN)/python scripts/release.py $(VERSION) $(if $(DRY),--dry-run) $(if $(DIST),-- $(DIST))

TRANSLATIONS := resources/translations
translations: setup-test
	@$(BIN)/pyside6-lupdate -no-obsolete -locations none -extensions py desktop/ui -ts $(TRANSLATIONS)/footnote_zh_CN.ts
	@$(BIN)/pyside6-lupdate -no-obsolete -locations none -extensions py -pluralonly desktop/ui -ts $(TRANSLATIONS)/footnote_en.ts
	@for language in zh_CN en; do \
	  $(BIN)/pyside6-lrelease $(TRANSLATIONS)/footnote_$$language.ts -qm $(TRANSLATIONS)/footnote_$$language.qm; done

screenshots: setup-test
	@$(BIN)/python -m tests.e2e.screenshots docs

clean:
	@rm -rf .venv build site .mypy_cache .ruff_cache .pytest_cache .hypothesis
