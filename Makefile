# SPDX-License-Identifier: Apache-2.0
# The few commands people type. CMakePresets.json has the builds behind them.
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
LAUNCHER := $(shell command -v ccache >/dev/null && echo -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

define build
	cmake --preset $(1) $(LAUNCHER) $(2) >build/$(1).configure.log 2>&1 || { cat build/$(1).configure.log; exit 1; }
	cmake --build --preset $(1) -j $(JOBS) $(3)
endef

.PHONY: help deps build investigate test bench format tidy install clean

help:  ## Say what there is to run
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

build/.keep:
	@mkdir -p build && touch $@

deps: build/.keep  ## Install what the build needs
	@cmake/install_deps.sh build

build: deps  ## Build the program: build/release/gpuwhy
	$(call build,release,-DGPUWHY_TESTS=OFF,--target gpuwhy)

investigate: build  ## Open the recorded investigation and print the diagnosis
	@examples/investigate.sh build/release/gpuwhy

test: build/.keep  ## Everything that CI runs
	@cmake/install_deps.sh test
	@tests/run_all.sh

bench: deps  ## Print the benchmarks beside their floors and peers
	$(call build,release,-DGPUWHY_TESTS=ON,--target gpuwhy bench)
	@tests/bench/run_all.sh build/release

format:  ## Format the sources
	git ls-files '*.cc' '*.h' | xargs $$(command -v clang-format-14 || echo clang-format) -i

tidy: build/.keep  ## Check the sources with clang-tidy
	@tests/run_tidy.sh

install: build  ## Install the program: make install PREFIX=/usr/local
	@cmake --install build/release --prefix $(PREFIX)

clean:  ## Remove what was built
	rm -rf build
