# `make chat` and `make test` do all the set-up they need; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The samples have an index of their own, so that they never get into the documents of a person.
SAMPLE_HOME := .folio
SAMPLE := eval/data/sample/docs

# A third of the time that pip takes.
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python $(addprefix --find-links ,$(PIP_FIND_LINKS))
COMPILE = $(BIN)/pip-compile -q --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host
# Folder of the sets that are measured, and of the runs with their texts.
DATA ?= ../data
RUNS ?= build/runs

.PHONY: help chat test test-all soak check bench results lock clean

help:
	@echo "make chat      ask the sample documents"
	@echo "make test      run the tests, but for those that need torch or take minutes"
	@echo "make test-all  run the tests that need torch too"
	@echo "make soak      run the tests that take minutes"
	@echo "make check     lint, types, import contracts"
	@echo "make bench     speed and memory, side by side with stock parts"
	@echo "make results   measure everything anew on the sets of DATA=FOLDER, and write eval/RESULTS.md"
	@echo "make lock      renew the lock files"
	@echo "make clean     remove the environment, caches and the sample index"

chat: $(SAMPLE_HOME)/.sample
	@FOLIO_HOME=$(SAMPLE_HOME) $(BIN)/folio chat

# The tests of a file stay together: what is opened once for a file is opened once.
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile

test-all: $(VENV)/.all
	$(BIN)/python -m pytest -n auto --dist loadfile -m "models and not soak"

soak: $(VENV)/.dev
	$(BIN)/python -m pytest -m soak

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd / && $(CURDIR)/$(BIN)/python -c "import agent, retrieval, preprocessing, prompts, eval; print(prompts.__file__)"

bench: $(VENV)/.dev
	$(BIN)/python -m eval bench

# Hours, most of them the first embedding of the passages, which is kept in build/home.
results: $(VENV)/.dev
	BIN=$(BIN) DATA=$(DATA) RUNS=$(RUNS) FOLIO_HOME=build/home bash eval/runs/make.sh

lock: $(VENV)/.main
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip-tools>=7.5"
	$(COMPILE) --extra server --extra mcp --extra postgres --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
	$(COMPILE) --no-annotate --all-extras --constraint requirements-dev.lock --output-file requirements-all.lock pyproject.toml
	# The lock names the release; which build of torch is installed, and with what of CUDA, is for each machine to say.
	sed -i.bak -E -e 's/^(torch==[0-9.]+)\+.*/\1/' -e '/^(nvidia-|cuda-|triton)/d' requirements-all.lock
	rm requirements-all.lock.bak

clean:
	rm -rf $(VENV) .folio build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# What runs Folio with all its doors, and nothing else: no torch, no tools of development.
$(VENV)/.main: requirements.lock pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" \
	  || { echo "Folio needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(INSTALL) --requirement requirements.lock
	$(INSTALL) --no-deps --editable .
	@touch $@

# The tools of development too, without torch.
$(VENV)/.dev: $(VENV)/.main requirements-dev.lock
	$(INSTALL) --requirement requirements-dev.lock
	@touch $@

# Every extra.
$(VENV)/.all: $(VENV)/.dev requirements-all.lock
	$(INSTALL) --requirement requirements-all.lock
	@touch $@

$(SAMPLE_HOME)/.sample: $(VENV)/.main $(wildcard $(SAMPLE)/*)
	FOLIO_HOME=$(SAMPLE_HOME) $(BIN)/folio ingest $(SAMPLE)
	@touch $@
