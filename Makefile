GO ?= go
FUZZTIME ?= 20s
BIN := bin/blockfp8
# The environment that a build with the tag cuda needs, see cuda-headers.
CUDA_ENV := eval "$$(gpu/internal/driver/cuda/fetch_headers.sh)"
SANITIZER := compute-sanitizer --error-exitcode 1 --tool
SANITIZED := ../build/gpu.test -test.short -guards=false
LARGE := Beyond31Bits|Record
REPEATING := Repeats|Goroutines|NoAllocation
# Rows that end inside 16 bytes of the workspace: initcheck takes a copy of 16
# bytes for a read of all of them, also where it is told to read fewer.
PARTIAL := HostCalls|QuantisedDeviceCalls

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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

bench-gpu: cuda-build ## the kernels beside Triton and cuBLASLt, and the roofline; needs torch and PEERS=DIR with Triton's kernel
	python3 gpu/kernels/harness.py bench --peer $(PEERS) --times build/peers.json
	build/blockfp8 bench gemm --peers build/peers.json --plot build/roofline.png

cuda-headers: ## fetch the CUDA 12.4 headers once into a cache, and print the environment to build with
	@gpu/internal/driver/cuda/fetch_headers.sh

cuda-build: ## build the command and the GPU tests with the tag cuda, into build/; needs no GPU
	$(CUDA_ENV) && $(GO) build -tags cuda -o build/blockfp8 ./cmd/blockfp8
	$(CUDA_ENV) && $(GO) test -c -tags cuda -o build/ ./gpu ./gpu/internal/driver/cuda ./fuzz

cuda-test: cuda-build ## run the GPU tests on the CUDA device of this machine
	cd gpu && ../build/gpu.test
	cd gpu/internal/driver/cuda && ../../../../build/cuda.test
	cd fuzz && ../build/fuzz.test -test.run OnDevice

sanitize: cuda-build ## the GPU tests under compute-sanitizer: memcheck, racecheck, initcheck
	cd gpu && $(SANITIZER) memcheck $(SANITIZED) -test.skip '$(LARGE)'
	cd gpu && $(SANITIZER) racecheck $(SANITIZED) -test.skip '$(LARGE)|$(REPEATING)'
	cd gpu && $(SANITIZER) initcheck $(SANITIZED) -test.skip '$(LARGE)|$(REPEATING)|$(PARTIAL)'

asm: ## write the assembly of the oracle again
	go generate ./ref/internal/avx2

ptx: ## compile the kernels again; needs nvcc
	cd gpu/kernels && python3 build.py

sass-report: ## assemble the kernels for every chip and keep registers and instructions in a table; needs ptxas from 12.9 on
	cd gpu/kernels && python3 resources.py

.PHONY: help run build test lint fuzz bench bench-gpu cuda-headers cuda-build cuda-test sanitize ptx sass-report asm
.DEFAULT_GOAL := help
