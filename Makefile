# Truestage's everyday commands. `make help` lists them.

VENV ?= .venv
PYTHON ?= python3
VARIANT ?= good
ENGINE ?= embedded
REPORTS ?= reports
BOARD ?= boards/voice-terminal.toml
FIRMWARE ?= firmware/build/$(VARIANT)/truestage.elf
ROBOT_ARGS ?=

VARIANTS = $(shell $(MAKE) -s -C firmware list-variants)
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help emulate test lint firmware bench docs clean toolchain

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18
	@echo '  VARIANT=$(VARIANT) (of: $(VARIANTS)), FIRMWARE=$(FIRMWARE), BOARD=$(BOARD), REPORTS=$(REPORTS)'

emulate: $(VENV)/.run $(if $(filter file,$(origin FIRMWARE)),firmware) ## build VARIANT's firmware and run every suite on it
	@$(BIN)/truestage emulate --engine $(ENGINE) --firmware $(FIRMWARE) --board $(BOARD) --reports $(REPORTS) $(ROBOT_ARGS)

test: $(VENV)/.dev toolchain ## unit, model, engine and end-to-end tests
	@$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev ## ruff, mypy --strict, robocop
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/robocop check robot

firmware: toolchain ## cross-compile firmware/ for the ESP32-C3
	@$(MAKE) -s -C firmware VARIANT=$(VARIANT)

bench: $(VENV)/.run firmware ## boot time, and faulted tool calls a second
	@$(BIN)/python benchmarks/calls.py $(FIRMWARE)

docs: $(VENV)/.run ## the keyword manual, docs/build/keywords.html
	@mkdir -p docs/build
	@$(BIN)/python -m robot.libdoc orchestrator.robot_library.Truestage docs/build/keywords.html

toolchain:
	@firmware/toolchain.sh

clean: ## remove everything that was built
	rm -rf $(VENV) firmware/build docs/build reports .mypy_cache .ruff_cache .pytest_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Truestage needs Python 3.11 or later; this is $$($(PYTHON) -V). Try: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	    { rm -rf $(VENV); echo "no virtual environment: install the package python3-venv" >&2; exit 1; }

$(VENV)/.run: $(VENV)/bin/python pyproject.toml
	@echo "installing Truestage into $(VENV) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "installing the test tools into $(VENV) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@
