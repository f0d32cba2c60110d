# Development commands. Every target sets up what it needs: `make demo` and `make test`
# work in a fresh clone on a machine that has only Python 3.11 or newer, and make.
# PYTHON sets the interpreter, ARGS adds arguments: make test PYTHON=python3.13 ARGS="-k reader"

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

# Without bytecode, as in some containers, each of the tests' processes would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
LOWEST := $(VENV)-lowest
NOTEBOOKS := dirframe-lab

# uv installs several times as fast as pip, which installs it into the environment first. Where that
# fails, or an index is known to pip alone, pip does it; 25.1 is the first that knows dependency groups.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
install = $(BIN)/python -m uv pip install --quiet --python $(BIN)/python --editable . $(1) 2>/dev/null \
    || { $(PIP) 'pip>=25.1' && $(PIP) --editable . $(1); }

# Recreate the environment if PYTHON is given and has another version than the environment.
VERSION := 'import sys; print(sys.implementation.name, sys.version_info[:3])'
ifneq ($(origin PYTHON),file)
ifneq ($(wildcard $(VENV)/.demo),)
ifneq ($(shell $(PYTHON) -c $(VERSION)),$(shell $(BIN)/python -c $(VERSION)))
OTHER := other-interpreter
endif
endif
endif

# Some four workers are quickest: more take longer to start than they save.
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4
FAST := --dist=worksteal -m 'not slow' --ignore=tests/slow

.DEFAULT_GOAL := help
.PHONY: other-interpreter help demo lab test test-slow test-all wheel-test test-lowest coverage \
    lint format docs notebooks bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

# One environment, and in it a stamp for each step: the package alone, which the demo needs, and the
# dependency groups of pyproject.toml. They run again only when the dependencies may have changed. An
# interrupted step leaves no stamp, so the next run completes it.
# PYTHON may be the shim of a version manager, so the interpreter that it starts reports its real path;
# the environment of another interpreter is recreated. Without PYTHON any interpreter is accepted.
$(VENV)/.demo: pyproject.toml $(OTHER)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dirframe needs Python 3.11 or newer; name one: make PYTHON=python3.13")'
	@echo "Creating an environment in $(VENV) ..."
	@"$$($(PYTHON) -c 'import os, sys; print(os.path.realpath(sys.executable))')" -m venv --clear $(VENV)
	@$(PIP) uv 2>/dev/null || true
	@echo "Installing dirframe and the packages that it needs: about half a minute ..."
	@$(call install)
	@touch $@

$(VENV)/.test $(VENV)/.lab $(VENV)/.slow $(VENV)/.lint $(VENV)/.docs $(VENV)/.dev: $(VENV)/.%: $(VENV)/.demo
	@echo "Installing what make $* needs ..."
	@$(call install,--group $*)
	@touch $@

other-interpreter:
	@echo "$(VENV) was created by another interpreter than $(PYTHON): it is recreated."

demo: $(VENV)/.demo ## Load, clean and chart the sample directory, over real HTTP
	@$(BIN)/dirframe demo $(ARGS)
	@echo "  make lab   the notebooks in JupyterLab"
	@echo "The command dirframe is $(BIN)/dirframe, or dirframe after: . $(BIN)/activate"

# In copies, so that a notebook that was run is no change of the repository. A copy that is there stays.
lab: $(VENV)/.lab ## Open the notebooks in JupyterLab, at the quick start
	@mkdir -p $(NOTEBOOKS)
	@for file in notebooks/*.ipynb; do \
	    test -e $(NOTEBOOKS)/$${file##*/} || cp $$file $(NOTEBOOKS)/; done
	@echo "These are copies in $(NOTEBOOKS)/: yours to change. Ctrl-C ends JupyterLab."
	@$(BIN)/python -m jupyterlab --allow-root --log-level=WARN --ServerApp.root_dir=$(NOTEBOOKS) \
	    --LabApp.default_url=/lab/tree/quick_start.ipynb $(ARGS)

test: $(VENV)/.test ## Run the tests: every promise, by few cases
	$(PYTEST) $(FAST) $(ARGS)

# 100 examples of each property. Tests that share a browser run in one worker.
test-slow: $(VENV)/.slow ## Run the slow tests: every combination, crashes, the browser, other libraries
	$(PYTEST) --dist=loadgroup --hypothesis-profile=ci -m 'slow and not wheel' $(ARGS)

test-all: test test-slow ## Run both

wheel-test: $(VENV)/.slow ## Build sdist and wheel, install the wheel in a new environment, run the demo there
	$(BIN)/python -m pytest -m wheel tests/slow/test_wheel.py $(ARGS)

# Warnings are not errors here, because older releases run with newer releases of their own dependencies.
test-lowest: ## Run the tests with the oldest releases that pyproject.toml allows
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[test]'
	$(LOWEST)/bin/python -m pytest --numprocesses=auto --maxprocesses=4 $(FAST) -W default $(ARGS)

# Takes twice as long as `make test`; ARGS selects tests: make coverage ARGS=tests/clean
coverage: $(VENV)/.dev ## Run the tests and show which lines and branches they reach
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --numprocesses=auto --maxprocesses=4 $(FAST) $(ARGS); \
	    status=$$?; $(BIN)/coverage combine --quiet && $(BIN)/coverage report; exit $$status

lint: $(VENV)/.lint $(VENV)/.slow ## Run every check except the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	find dirframe -name '*.py' -exec $(BIN)/numpydoc lint {} +
	$(BIN)/python -m tools.house
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/repo-review --show err .

format: $(VENV)/.lint ## Fix what ruff can fix automatically
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

# Outputs of notebooks are cached in docs/_build and regenerated when dirframe changes.
docs: $(VENV)/.docs ## Build the documentation, without the network, and check its links
	$(BIN)/sphinx-build -M html docs docs/_build --fail-on-warning --keep-going --nitpicky --quiet --jobs auto $(ARGS)
	$(BIN)/python docs/checks.py docs/_build/html

# ARGS: names of notebooks
notebooks: $(VENV)/.docs ## Run the notebooks, and keep in them what they show
	$(BIN)/python -m tools.notebooks $(ARGS)

# ARGS: names of scripts in tests/benchmarks, such as startup reading
bench: $(VENV)/.dev ## Run the benchmarks: whole processes, reading, statistics, explorer, service
	@for script in $(or $(ARGS),startup reading requests stats explorer service); do \
	    echo "# $$script"; $(BIN)/python -m tests.benchmarks.$$script || exit 1; done

clean: ## Remove the environment and all built or cached files
	rm -rf $(VENV) $(LOWEST) build dist *.egg-info dirframe-demo docs/_build docs/guide
	rm -rf .coverage* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
