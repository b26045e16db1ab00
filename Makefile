# make run PORT=9000 serves elsewhere; make test PYTHON=python3.13 VENV=.venv313 tries another Python.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
TESTING := DJANGO_SETTINGS_MODULE=config.settings_test
MANAGE := $(TESTING) $(BIN)/python manage.py
ADVISORIES ?= https://api.osv.dev/v1/query
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header pyproject.toml

unexport PYTHONDONTWRITEBYTECODE # or each command compiles all modules again

.DELETE_ON_ERROR:
.PHONY: run test fix lint check migrations docs texts bench drill trial lock sbom audit release

run: $(VENV)/.installed ## everything, with a demo partner, on 127.0.0.1:$(PORT)
	@$(BIN)/python -m config.development_secrets
	@exec $(BIN)/python manage.py up --parent $$PPID

test: lint $(VENV)/audit/.installed ## the check, and the suite on each database that can be had
	@$(BIN)/python -m tests.databases

fix: $(VENV)/.installed-dev ## format, and repair what the linter can
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

check: lint ## format, lint, types, migrations, generated files, the project's rules
	@$(BIN)/pytest -q tests/test_words.py tests/test_docstring_names.py tests/test_house.py tests/test_docs.py \
		tests/onboarding/test_columns.py tests/onboarding/test_event_types.py tests/mcp_server/test_catalogue.py

lint: $(VENV)/.installed-dev ## the check without the rules that are tests, which are in the suite too
	@$(BIN)/ruff format --check --quiet . || { echo "Run: make fix" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(MANAGE) check
	@$(MANAGE) makemigrations --check --dry-run || \
		{ echo "A model changed without a migration. Run: make migrations" >&2; exit 1; }
	@$(TESTING) $(BIN)/python -m tests.migration_linter
	@$(TESTING) $(BIN)/python -m tests.generated_docs

migrations: $(VENV)/.installed-dev ## write the migrations of changed models
	@$(MANAGE) makemigrations

docs: $(VENV)/.installed-dev ## regenerate what is generated
	@$(TESTING) $(BIN)/python -m tests.generated_docs --write

bench: $(VENV)/.installed-dev ## speed, side by side with what else there is; docs/performance.md
	@$(BIN)/python -m bench

drill: $(VENV)/.installed-dev ## load, back up, destroy, restore to a moment, prove and compare
	@$(BIN)/python -W ignore -m bench.drill

trial: $(VENV)/.installed-dev ## follow docs/production.md on eleven machines in namespaces, and end each part; needs root
	@$(BIN)/python -m bench.trial

texts: ## compile the Spanish texts, after a change of locale/es/LC_MESSAGES/django.po
	@msgfmt --check-format -o locale/es/LC_MESSAGES/django.mo locale/es/LC_MESSAGES/django.po

lock: $(VENV)/.installed-dev ## pin what pyproject.toml names
	@$(LOCK) -o requirements.txt
	@$(LOCK) --extra s3 -c requirements.txt -o requirements-s3.txt
	@$(LOCK) --extra tracing -c requirements.txt -o requirements-tracing.txt
	@$(LOCK) --group dev -c requirements.txt -o requirements-dev.txt
	@$(LOCK:pyproject.toml=--group audit) -o requirements-audit.txt
	@$(LOCK:pyproject.toml=--group release) -o requirements-release.txt
	@$(LOCK:pyproject.toml=bench/requirements.in) -c requirements.txt -o bench/requirements.txt

sbom: $(VENV)/audit/.installed ## list the pinned requirements as CycloneDX JSON, in var/
	@mkdir -p var
	@for name in requirements requirements-s3 requirements-tracing; do \
		PYTHONWARNINGS=ignore $(VENV)/audit/bin/cyclonedx-py requirements $$name.txt --pyproject pyproject.toml \
			--mc-type application --output-reproducible -o var/sbom-$$name.json && \
		echo "Wrote var/sbom-$$name.json"; done

audit: $(VENV)/audit/.installed ## look for advisories of the pinned requirements; needs a network
	@$(VENV)/audit/bin/pip-audit -r requirements-s3.txt -r requirements-tracing.txt --disable-pip --progress-spinner off \
		--vulnerability-service osv --osv-url $(ADVISORIES) 2> $(VENV)/audit/log; \
	status=$$?; \
	if grep -q "^requests.exceptions\|Could not connect" $(VENV)/audit/log; then \
		echo "WARNING: not audited, the advisory database cannot be reached ($(VENV)/audit/log)" >&2; \
	else cat $(VENV)/audit/log >&2; exit $$status; fi

release: $(VENV)/.installed-dev ## the files of a release, in var/release/<version>/
	@.ci/release $(BIN)

$(VENV)/audit/.installed: requirements-audit.txt | $(BIN)/pip
	@echo "Installing requirements-audit.txt into $(VENV)/audit"
	@$(BIN)/python -m venv $(VENV)/audit
	@$(VENV)/audit/bin/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes -r requirements-audit.txt
	@touch $@

$(VENV)/.installed: requirements.txt | $(BIN)/pip
	@echo "Installing requirements.txt into $(VENV)"
	@$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt | $(BIN)/pip
	@echo "Installing requirements-dev.txt into $(VENV)"
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module; on Debian: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
