# One command for each chore. Every target sets up what it needs: `make demo` and `make test`
# work in a fresh clone on a machine that has nothing but Python 3.11 or newer, and make.
# PYTHON names the interpreter, ARGS is handed on: make test PYTHON=python3.13 ARGS="-k reader"

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

# Where containers forbid bytecode, each of hundreds of processes would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOWEST := $(VENV)-lowest

# What is to be done again where PYTHON is given and the environment is of another version.
VERSION := 'import sys; print(sys.implementation.name, sys.version_info[:3])'
ifneq ($(origin PYTHON),file)
ifneq ($(wildcard $(READY)),)
ifneq ($(shell $(PYTHON) -c $(VERSION)),$(shell $(BIN)/python -c $(VERSION)))
OTHER := other-interpreter
endif
endif
endif

.DEFAULT_GOAL := help
.PHONY: other-interpreter help demo test coverage mutants wheel-test test-lowest lint format docs bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

# Done again only when the dependencies may have changed. An interrupted set-up leaves no
# stamp, so the next run completes it.
# PYTHON may be the shim of a version manager: what it starts is asked for its real path, and an
# environment of another interpreter than that is made anew. Without PYTHON any will do.
$(READY): pyproject.toml $(OTHER)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dirframe needs Python 3.11 or newer; name one: make PYTHON=python3.13")'
	"$$($(PYTHON) -c 'import os, sys; print(os.path.realpath(sys.executable))')" -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

other-interpreter:
	@echo "$(VENV) is of another interpreter than $(PYTHON): it is made anew."

demo: $(READY) ## Load, clean and chart the sample directory, over real HTTP
	$(BIN)/dirframe demo $(ARGS)

# Four workers at most: beyond that, starting them costs more than they save.
test: $(READY) ## Run the tests
	$(BIN)/python -m pytest -m 'not wheel' --numprocesses=auto --maxprocesses=4 --dist=worksteal $(ARGS)

# Twice as slow as `make test`; ARGS narrow it: make coverage ARGS=tests/clean
coverage: $(READY) ## Run the tests and show which lines and branches they reach
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -m 'not wheel' --numprocesses=auto --maxprocesses=4 --dist=worksteal $(ARGS); \
	    status=$$?; $(BIN)/coverage combine --quiet && $(BIN)/coverage report; exit $$status

# A sample that is the same each time; what survives fails. ARGS: an area, --sample, --seed, --processes.
mutants: $(READY) ## Change the code in many small ways, one at a time, and see whether a test fails
	$(BIN)/python -m tools.mutants $(ARGS)

wheel-test: $(READY) ## Build sdist and wheel, install the wheel elsewhere, run the demo there
	$(BIN)/python -m pytest -m wheel tests/test_wheel.py $(ARGS)

# Warnings are no errors here: older releases meet newer ones of what they need in turn.
test-lowest: ## Run the tests with the oldest releases that pyproject.toml allows
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip compile --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
	    --all-extras --output-file $(LOWEST)/constraints.txt pyproject.toml
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' \
	    --constraint $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pytest -m 'not wheel' -W default $(ARGS)

lint: $(READY) ## Run every gate that needs no test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	find dirframe -name '*.py' -exec $(BIN)/numpydoc lint {} +
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/repo-review --show err .

format: $(READY) ## Mend what ruff can mend by itself
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

# Outputs of notebooks are kept in docs/_build and made anew when dirframe has changed.
docs: $(READY) ## Build the pages of documentation, without the network, and check their links
	$(BIN)/sphinx-build -M html docs docs/_build --fail-on-warning --keep-going --nitpicky --quiet --jobs auto $(ARGS)
	$(BIN)/python docs/checks.py docs/_build/html

# ARGS: names of scripts, --against FILE, --compare OLD NEW, --history; --help tells more.
bench: $(READY) ## Measure and keep the figures, compare them with an earlier run's
	$(BIN)/python -m tests.benchmarks $(ARGS)

clean: ## Remove the environment and everything that was built or cached
	rm -rf $(VENV) $(LOWEST) build dist *.egg-info dirframe-demo benchmark-results docs/_build docs/charts docs/guide
	rm -rf .coverage* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
