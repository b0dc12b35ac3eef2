# `make` prints what one can do; every target does the set-up it needs.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tests wait for a third of their time, so three processes keep two cores busy; conftest.py has the order of the files.
PYTEST = $(BIN)/python -m pytest -q --numprocesses 3 --dist loadfile --no-loadscope-reorder
NATIVE := capture/gpiorig/capture/libgpiorig_native.so
DECODERHOST := analysis/gpiorig/analysis/decoderhost/native.abi3.so
VBOARDS := rig/vbench/gpiorig/vbench/boards/libvboards.so
USBBUS := rig/vbench/gpiorig/vbench/ends/libusbbus.so
# What the demo runs: the crates of its libraries, and the board of its image.
DEMO_CRATES := gpiorig-native gpiorig-decoderhost vboards
DEMO_BOARD := iotlab-m3
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find analysis/native capture/native rig/vbench/usbbus rig/vbench/vboards -name '*.rs' -o -name Cargo.toml)

# Compiled modules are kept: hundreds of short processes would each compile them again.
unexport PYTHONDONTWRITEBYTECODE

# The changelog wraps itself, and `make docs` its pages.
MADE := docs/seeds.md $(addprefix docs/reference/,events.md keys.md python.md quantity-names.md rooms.md settings.md)
MARKDOWN := $(filter-out CHANGELOG.md $(MADE),$(wildcard *.md docs/*.md docs/*/*.md firmware-gpio-probes/*.md))
MDFORMAT = $(BIN)/mdformat --wrap 120 --number --compact-tables

# Groups of Debian packages; each target asks for those that it needs itself.
DEBIAN := $(addprefix debian-,python native sigrok firmware check test)

SECONDS ?= 600
TARGETS ?=

.PHONY: help setup $(DEBIAN) native firmware demo-image demo test test-fast test-deep labgrid check faults fuzz generate docs format bench sensitivity costs clean

help:
	@echo "make demo       two virtual boards, a real sigrok-cli capture, a report (sets everything up first)"
	@echo "make test       everything that can break, in minutes"
	@echo "make test-fast  the tests of a developer's inner loop, in one minute"
	@echo "make test-deep  the full simulations, every mode on every board, and a soak: hours"
	@echo "make labgrid    the driver of labgrid, with labgrid's own coordinator and exporter"
	@echo "make check      lint, types, generated files, layers, documents"
	@echo "make faults     the corpus of damaged files and waveforms: docs/evidence/reliability.md"
	@echo "make fuzz       coverage-guided fuzzing, SECONDS=600 of all TARGETS together; continues where it ended"
	@echo "make bench      the performance table"
	@echo "make sensitivity  how much round trips on the virtual bench depend on its timing model"
	@echo "make costs      what a probe costs on the virtual boards: docs/guide/probe-cost.md"
	@echo "make firmware   the probe library and the reference firmware"
	@echo "make native     the Rust libraries"
	@echo "make generate   what follows from firmware-gpio-probes/events.toml and settings.toml, the decoders' copies of shared modules"
	@echo "make docs       pages that git does not have: keys, events, settings, quantities, Python names, studies, rooms, the manual page"
	@echo "make format     format Python, Rust and Markdown"
	@echo "make setup      Debian packages, virtual environment, native libraries, firmware"
	@echo "make clean      delete what was built"

$(DEBIAN):
	@tools/debian.sh $(@:debian-%=%)

setup: $(VENV)/.developed native firmware debian-sigrok

# What is imported is compiled then; to compile all of it here takes longer than the rest.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
$(VENV)/.installed: pyproject.toml rig/vbench/pyproject.toml constraints.txt | debian-python
	@tools/step.sh "Python packages of gpiorig" $(VENV) sh -c '$(PYTHON) -m venv $(VENV) && $(PIP) --editable . --editable rig/vbench'
	@touch $@

$(VENV)/.developed: $(VENV)/.installed rig/studies/pyproject.toml rig/pytest-gpiorig/pyproject.toml
	@tools/step.sh "pip that knows groups" $(VENV) $(PIP) --upgrade 'pip>=25.1'
	@tools/step.sh "Python packages of tests and checks" $(VENV) $(PIP) --group dev --editable . --editable rig/studies --editable rig/pytest-gpiorig
	@touch $@

native: $(NATIVE) $(DECODERHOST) $(VBOARDS) $(USBBUS)

# The libraries of the demo; then what only tests use, which is built with them.
CARGO := cargo build --quiet --target-dir target --release --locked
target/.built: $(RUST_SOURCES) | debian-native
	@tools/step.sh "Rust libraries of gpiorig" target $(CARGO) --lib $(DEMO_CRATES:%=--package %)
	@touch $@

target/.built-all: target/.built
	@tools/step.sh "Rust libraries and programs of tests" target $(CARGO) --lib --examples --workspace
	@touch $@

$(NATIVE): target/.built
	@cp target/release/libgpiorig_native.so $@.new && mv $@.new $@

$(DECODERHOST): target/.built
	@cp target/release/libgpiorig_decoderhost.so $@.new && mv $@.new $@

$(VBOARDS): target/.built
	@cp target/release/libvboards.so $@.new && mv $@.new $@

$(USBBUS): target/.built-all
	@cp target/release/libusbbus.so $@.new && mv $@.new $@

firmware: debian-firmware
	@tools/step.sh "firmware of all boards" firmware-gpio-probes/build $(MAKE) --no-print-directory -s -j2 -C firmware-gpio-probes

# The complete compiler where it is installed with its C library, else the part of it that builds the image of the demo.
DEMO_COMPILER := $(if $(filter /%,$(shell arm-none-eabi-gcc -print-file-name=nosys.specs 2>/dev/null)),,build/arm-compiler)
build/arm-compiler: | debian-native
	@tools/step.sh "part of Debian's ARM compiler" $@ tools/arm_compiler.sh $@

demo-image: $(DEMO_COMPILER)
	@tools/step.sh "firmware of $(DEMO_BOARD)" firmware-gpio-probes/build/$(DEMO_BOARD) $(MAKE) --no-print-directory -s \
	    -C firmware-gpio-probes BOARD=$(DEMO_BOARD) $(DEMO_COMPILER:%=CROSS=$(CURDIR)/%/usr/bin/arm-none-eabi-)

demo:
	@test -e $(VENV)/.installed || echo "set-up of the demo, a minute or more; a line for each part when it is done:"
	@$(MAKE) --no-print-directory -s -j4 $(NATIVE) $(DECODERHOST) $(VBOARDS) $(VENV)/.installed demo-image debian-sigrok
	@$(BIN)/gpiorig demo --force
	@echo "gpiorig is $(BIN)/gpiorig here; after \`. $(BIN)/activate\` it is gpiorig in this shell"

# A second thread of OpenBLAS would double the processor time of our small products.
test test-fast: export OPENBLAS_NUM_THREADS := 1

test: setup debian-test
	@cargo test --quiet --release --target-dir target --locked --workspace --lib --tests
	@$(PYTEST)

test-fast: setup debian-test
	@$(PYTEST) -m "not slow"

test-deep: export GPIORIG_DEEP := 1
test-deep: test
	@PYTHONPATH=rig/vbench/tests $(BIN)/python -m core_oracle 10_000_000
	@$(BIN)/python tests/speed/long_capture.py

# Apart from the other packages, for the reason that pyproject.toml has.
build/labgrid/.installed: pyproject.toml constraints.txt | $(VENV)/.developed
	@tools/step.sh "labgrid" build/labgrid $(PIP) --target build/labgrid --upgrade 'labgrid>=25'
	@touch $@

labgrid: setup debian-test build/labgrid/.installed
	@PYTHONPATH=$(CURDIR)/build/labgrid $(BIN)/python -m pytest -q tests/commands/test_labgrid.py

check: $(VENV)/.developed $(DECODERHOST) debian-firmware debian-check
	@$(PYTHON) firmware-gpio-probes/generate.py --check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(MDFORMAT) --check $(MARKDOWN)
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/rules/test_layers.py tests/rules/test_documents.py
	@$(MAKE) --no-print-directory -s -C firmware-gpio-probes lint
	@if cargo fmt --version >/dev/null 2>&1; then cargo fmt --all --check; else echo "cargo fmt is not installed: Rust format not checked"; fi
	@if cargo clippy --version >/dev/null 2>&1; then cargo clippy --quiet --release --target-dir target --locked --workspace --all-targets -- -D warnings; else echo "cargo clippy is not installed: Rust lints not checked"; fi

faults: export OPENBLAS_NUM_THREADS := 1
faults: setup
	@PYTHONPATH=tests:tests/support $(BIN)/python -m faults

fuzz: export OPENBLAS_NUM_THREADS := 1
fuzz: setup
	@$(PIP) --group fuzz
	@PYTHONPATH=tests:tests/support $(BIN)/python -m fuzz --seconds $(SECONDS) $(TARGETS)

generate:
	@$(PYTHON) firmware-gpio-probes/generate.py

docs: $(VENV)/.installed
	@$(BIN)/python tools/documents.py

format: $(VENV)/.developed
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .
	@$(MDFORMAT) $(MARKDOWN)
	@cargo fmt --all

bench: setup
	@$(BIN)/python tests/speed/bench.py

sensitivity: setup
	@$(BIN)/python tests/studies/sensitivity.py

costs: setup
	@$(BIN)/python tests/studies/probe_costs.py

clean:
	rm -rf target demo $(NATIVE) $(DECODERHOST) $(VBOARDS) $(USBBUS) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	$(MAKE) -C firmware-gpio-probes clean
