GO ?= go
FUZZTIME ?= 20s
BIN := bin/blockfp8

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## multiply activations by the FP8 layers of a small checkpoint made for the purpose
	$(BIN) run

build: ## build the command into bin/
	$(GO) build -o $(BIN) ./cmd/blockfp8

test: ## all tests; needs no GPU and no CUDA
	$(GO) test ./...

lint: ## formatting, go vet, staticcheck
	./.ci/lint

fuzz: ## every native fuzz target for FUZZTIME (20s)
	./.ci/fuzz $(FUZZTIME)

bench: ## the oracle's rate per core beside gonum's Dgemm
	$(GO) test ./ref -run '^$$' -bench MatMul -cpu 1

.PHONY: help run build test lint fuzz bench
.DEFAULT_GOAL := help
