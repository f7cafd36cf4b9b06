# `make chat` and `make test` do all the set-up they need; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The samples have an index of their own, so that they never get into the documents of a person.
SAMPLE_HOME := .folio
SAMPLE := eval/data/sample/docs

.PHONY: help chat test soak check bench lock clean

help:
	@echo "make chat    ask the sample documents"
	@echo "make test    run the tests"
	@echo "make soak    run the tests that take minutes"
	@echo "make check   lint, types, import contracts"
	@echo "make bench   speed and memory, side by side with stock parts"
	@echo "make lock    renew the lock files"
	@echo "make clean   remove the environment, caches and the sample index"

chat: $(SAMPLE_HOME)/.sample
	@FOLIO_HOME=$(SAMPLE_HOME) $(BIN)/folio chat

test: $(VENV)/.all
	$(BIN)/python -m pytest -n auto --dist loadfile

soak: $(VENV)/.all
	$(BIN)/python -m pytest -m soak

check: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd / && $(CURDIR)/$(BIN)/python -c "import agent, retrieval, preprocessing, prompts, eval; print(prompts.__file__)"

bench: $(VENV)/.all
	$(BIN)/python -m eval bench

lock: $(VENV)/.all
	$(BIN)/pip-compile -q --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
	  --output-file requirements.lock pyproject.toml
	$(BIN)/pip-compile -q --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
	  --constraint requirements.lock --all-extras \
	  --output-file requirements-all.lock pyproject.toml
	# The lock names the release; which build of it is installed is for each machine to say.
	sed -i.bak -E 's/^(torch==[0-9.]+)\+.*/\1/' requirements-all.lock && rm requirements-all.lock.bak

clean:
	rm -rf $(VENV) .folio build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# What runs Folio, and nothing else: no torch, no tools of development.
$(VENV)/.main: requirements.lock pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" \
	  || { echo "Folio needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

# Every extra and the tools of development.
$(VENV)/.all: $(VENV)/.main requirements-all.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-all.lock
	@touch $@

$(SAMPLE_HOME)/.sample: $(VENV)/.main $(wildcard $(SAMPLE)/*)
	FOLIO_HOME=$(SAMPLE_HOME) $(BIN)/folio ingest $(SAMPLE)
	@touch $@
