# Everything runs from a virtual environment that the first target makes.
# `make gate` and `make test` are all a newcomer needs; ARGS reaches the command: make gate ARGS="--select REG".

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: gate test own lint chaos load bench stability speeds lock clean

$(READY): requirements.lock pyproject.toml
	@echo "Making $(VENV): about half a minute the first time."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "eureka-tck needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) -V 2>&1`. Try: make PYTHON=python3.12"; exit 3; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

gate: $(READY)   ## judge the Python registry: no Docker, no Java, no root
	@$(BIN)/eureka-tck gate $(ARGS)

test: $(READY)   ## everything this machine can run: README says what runs where
	@$(BIN)/python tests/everything.py $(ARGS)

own: $(READY)    ## the tests of our own parts alone
	@$(BIN)/python -m pytest $(ARGS)

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

FEW = partition-one,one-way-link,slow-peer,mass-death,rolling-restart,long-pause,clock-jump,cancel-lost,split-writes,override-in-a-cut

chaos: $(READY)
	@$(BIN)/eureka-tck chaos --scenario $(FEW) $(ARGS)

load: $(READY)
	@$(BIN)/eureka-tck load --storm steady --instances 1000 --minutes 1 $(ARGS)

bench: $(READY)  ## what the registry costs beside Java and nginx: needs Java, Maven, nginx, wrk; half an hour
	@$(BIN)/python -m bench $(ARGS)

stability: $(READY)  ## gates in a row on three targets, idle and busy; goes on where it was stopped: hours
	@$(BIN)/python tests/repeat.py $(ARGS)

speeds: $(READY)     ## the same verdicts at speed 1, 10 and the default: for the night
	@$(BIN)/python tests/speeds.py $(ARGS)

lock:            ## pin every dependency with its hashes; needs uv
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --extra dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) build dist
