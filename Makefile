# Every target that needs Python packages first makes .venv from the pinned lock file, once.
# Paths are relative throughout: the repository may lie in a folder with spaces in its name.

# The interpreter to make .venv with; empty: the first of python3.13, 3.12, 3.11, python3 that runs and is >= 3.11.
PYTHON ?=
# Processes for the tests.
JOBS ?= 2

BIN := .venv/bin
READY := .venv/.ready
BENCH_READY := .venv/.bench-ready
FAST := not slow and not oracle
# The tests of the games: the ones that are worth running with bounds checks, and as plain Python.
GAME_TESTS := tests/games tests/games_argh tests/games_shady

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: strategy fit-hands fit-advanced help setup test test-slow test-bounds coverage oracle lint check bench notebooks report lock clean distclean FORCE

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## Make .venv from the lock file (the other targets do it by themselves)

report: $(READY) ## Run the standard experiment and write reports/index.html (GAMES=n: games per matchup)
	$(BIN)/agentsim report $(if $(GAMES),--games "$(GAMES)")

strategy: $(READY) ## Renew data/strategy: best responses and the solver's games (half an hour; not needed for the report)
	$(BIN)/python -m analyses.strategy_data

fit-hands: $(READY) ## Renew what the solver knows of kept hands (half an hour; not needed to play)
	$(BIN)/python -m agentsim.games.agent_avenue.solver.fit_hands --workers 2 --out agentsim/games/agent_avenue/solver/kept.npz

fit-advanced: $(READY) ## Renew the weights of solver_advanced (a quarter of an hour; not needed to play)
	$(BIN)/python -m agentsim.games.agent_avenue.solver.advanced.fit --workers 2 --out agentsim/games/agent_avenue/solver/advanced/weights.npz

notebooks: $(READY) ## Execute every notebook on the standard experiment (GAMES=n as for report)
	$(BIN)/agentsim report --notebooks-only $(if $(GAMES),--games "$(GAMES)")

test: $(READY) ## Run the fast tests (JOBS=2 processes)
	$(BIN)/python -m tests.warm "$(JOBS)"
	$(BIN)/python -m pytest -q -m "$(FAST)" -n "$(JOBS)" --dist worksteal

test-slow: $(READY) ## Run the slow tests: packaging, browser, large statistical checks (JOBS=2 processes)
	$(BIN)/python -m pytest -q -m "slow and not oracle" -n "$(JOBS)"

oracle: $(READY) ## Replay at least 1,000,000 logged games through the independent rules engine
	$(BIN)/python -m pytest -q -m oracle

lint: $(READY) ## Check style (ruff) and types (mypy --strict)
	$(BIN)/ruff check .
	$(BIN)/mypy

check: lint test ## Lint, then run the fast tests

bench: $(BENCH_READY) ## Measure speed and print it beside the peers' (installs them first)
	$(BIN)/python -m benchmarks

test-bounds: $(READY) ## Run the tests of the games with bounds checks in the compiled code
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -q -m "$(FAST)" $(GAME_TESTS)

coverage: $(READY) ## Measure which lines the tests reach, kernels included (runs them as plain Python: slow)
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -q -m "$(FAST)" $(GAME_TESTS)
	$(BIN)/coverage combine
	$(BIN)/coverage report

# uv finds pins for all supported Python versions at once, which pip cannot; nothing else here needs it.
lock: $(READY) ## Renew the lock files from pyproject.toml (UPGRADE=1: to the newest versions)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/python scripts/lock.py $(if $(UPGRADE),--upgrade)

clean: ## Remove caches, build products and reports (runs in data/logs stay)
	rm -rf build dist reports htmlcov .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find * -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## Also remove .venv (runs in data/logs stay)
	rm -rf .venv

# The stamp names the folder that .venv was made in; a moved or copied repository makes its .venv anew.
ifneq ($(shell cat $(READY) 2>/dev/null),$(shell pwd -P))
$(READY): FORCE
endif

$(READY): requirements.lock pyproject.toml scripts/setup-venv.sh
	@sh scripts/setup-venv.sh $(if $(PYTHON),"$(PYTHON)")

$(BENCH_READY): requirements-bench.lock $(READY)
	@echo "Installing the peers to measure against"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-bench.lock
	@touch $@
