# A thin front end: presets are in CMakePresets.json, everything else is in tools/. `make help`
# lists it.

.DEFAULT_GOAL := release
.PHONY: release demo test bench soak lint format wheel clean help

release: ## Build build/release/muster, and TonY's jar where there is a JDK (the default)
	@tools/setup build
	@test build/release/build.ninja -nt CMakePresets.json || cmake --preset release
	@tools/build_estimate release muster
	@cmake --build --preset release --target muster muster_java

demo: ## Train a digit classifier with TensorFlow on this machine
	@tools/demo

test: ## Run every test; LABELS="unit sim" narrows
	@tools/test $(LABELS)

bench: ## Measure and print the numbers
	@tools/bench

soak: ## Sanitizers, fuzzers, mutants and thousands of seeds
	@tools/soak

lint: ## Check layers, symbols, sizes, style, clang-tidy
	@tools/setup build test
	@tools/lint/run

format: ## Format all C++ files and wrap all Markdown files
	@tools/setup test
	@tools/format

wheel: ## Build dist/muster_ml-*.whl, for pip
	@tools/wheel

clean: ## Remove what was built (caches outside the tree stay)
	@rm -rf build dist

help: ## Show this
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14
