# memviz: the comment after each target's name says what it does; "make help" lists them.

SHELL := /bin/bash

# Everything is built like a release, static and without local paths, so that tests
# that build memviz find its packages compiled.
export CGO_ENABLED := 0
export GOFLAGS += -trimpath

BIN := bin/memviz
EXAMPLE := examples/training-loop/snapshot.pickle.gz

.PHONY: all demo cross release wheels gallery cluster test notebook lint lint-viewer vuln fuzz torture mutants race nightly bench bench-page bench-job bench-predict bench-go profile golden examples viewer screenshots install-tools install-python help

all: $(BIN) ## build memviz into bin/

$(BIN): FORCE
	@go build -o $(BIN) ./cmd/memviz

FORCE:

demo: all ## write bin/training-loop.html, a report of an example
	$(BIN) trace $(EXAMPLE) -o bin/training-loop.html

PLATFORMS := linux/amd64 linux/arm64 darwin/arm64 windows/amd64

cross: ## build all commands for PLATFORMS, into bin/GOOS-GOARCH; vet all code and tests as macOS and Windows compile them
	@set -e; for platform in $(PLATFORMS); do \
		echo "$$platform"; export GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
		go build -o bin/$$GOOS-$$GOARCH/ ./cmd/...; \
		if [ $$GOOS != linux ]; then go vet ./...; fi; \
	done

release: ## write all files of a release into bin/release, without the network; VERSION=v0.1.0
	@rm -rf bin/release
	go run ./cmd/memviz-release -version "$(VERSION)" -o bin/release

gallery: all ## write the pages of all examples, with an index, into bin/gallery
	@rm -rf bin/gallery
	go run ./cmd/memviz-gallery -memviz $(BIN) -o bin/gallery

WHEELS ?= bin/wheels

wheels: ## write the Python wheels of a release into WHEELS (default bin/wheels), without the network; VERSION=v0.1.0
	go run ./cmd/memviz-wheel -version "$(VERSION)" -o $(WHEELS)

# Tests have memory to spare: collecting garbage less often saves a fifth of their time. They
# often wait for browsers and other programs, so four packages at a time keep two cores busy. Without
# the profile that memviz is built with, all packages are compiled once. With it, they are
# compiled again for memviz, and once more for the test of memviz.
test lint: export GOGC := 400
test lint: export GOFLAGS += -pgo=off

test: install-tools install-python ## install the tests' requirements, then lint and run them all
	@$(MAKE) --no-print-directory lint
	MEMVIZ_NEED_BROWSER=1 MEMVIZ_NEED_PYTHON=1 go test -vet=off -timeout 60m -p 4 ./...

notebook: PYTHON_MODULES += , notebook
notebook: PYTHON_PACKAGES += jupyter-notebook
notebook: install-tools install-python ## show a report in a real notebook; pictures of it go to SHOTS
	MEMVIZ_NEED_BROWSER=1 MEMVIZ_NEED_PYTHON=1 go test ./cmd/memviz-wheel -run TestInstalled -count 1 -notebook \
		-screenshots $(abspath $(SHOTS))

# Debian's Slurm. Its services have no configuration and do not start; the test runs its own.
SLURM := slurmctld slurmd slurm-client

cluster: ## run the recipes of memviz snippet, as root: Slurm on four nodes that are this machine; Ray if it is installed
	@if ! command -v slurmctld >/dev/null && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(SLURM) >/dev/null \
			|| echo "Slurm cannot be installed; its test will be skipped"; \
	fi
	go test -tags cluster ./cmd/memviz -run 'TestSlurm|TestRay' -count 1 -v -timeout 20m

# The packages that start goroutines, and packages whose values goroutines share.
RACE_PACKAGES := ./pkg/internal/pickle ./pkg/snapshot ./pkg/analysis ./pkg/answer/... ./pkg/whatif ./pkg/report ./pkg/report/codec ./cmd/memviz

race: ## run the tests of concurrent code with the race detector
	CGO_ENABLED=1 go test -race -short -timeout 60m $(RACE_PACKAGES)

VIEWER := assets/viewer

nightly: install-tools $(VIEWER)/node_modules/.package-lock.json ## run everything that takes hours: races, long random walks, damaged files, fuzzing, mutants
	@$(MAKE) --no-print-directory race
	CGO_ENABLED=1 MEMVIZ_NEED_BROWSER=1 go test -race ./pkg/report/pagetest -count 1 -long -timeout 4h
	go test ./cmd/memviz-gen -count 1 -seeds 20 -timeout 2h
	go test ./pkg/job -run Findings -count 1 -long -v -timeout 1h
	MEMVIZ_MUTANTS=1 go test ./pkg/allocator -run TestMutants -count 1 -v -timeout 2h
	@$(MAKE) --no-print-directory torture
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory mutants

lint: lint-viewer ## vet, staticcheck and formatting of Go, types of the viewer
	go vet ./...
	go tool staticcheck ./...
	@unformatted=$$(gofmt -l assets cmd pkg templates); if [ -n "$$unformatted" ]; then echo "gofmt these: $$unformatted"; exit 1; fi

lint-viewer: $(VIEWER)/node_modules/.package-lock.json ## check the types of the viewer with TypeScript
	$(VIEWER)/node_modules/.bin/tsc -p $(VIEWER)/jsconfig.json
	$(VIEWER)/node_modules/.bin/tsc -p $(VIEWER)/test/jsconfig.json

$(VIEWER)/node_modules/.package-lock.json: $(VIEWER)/package-lock.json
	npm ci --prefix $(VIEWER) --no-audit --no-fund

vuln: ## look up known vulnerabilities in the code that memviz calls; asks vuln.go.dev
	go tool govulncheck ./...

fuzz: ## run every fuzz target for FUZZTIME (default 30s)
	@for package in $$(go list ./...); do \
		listed=$$(go test -list '^Fuzz' $$package) || { echo "$$listed"; exit 1; }; \
		for target in $$(grep '^Fuzz' <<< "$$listed"); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-30s} -fuzzminimizetime 20x $$package || exit 1; \
		done; \
	done

MUTANTS ?= 20000

torture: ## damage MUTANTS files and run everything that memviz does with a file on them
	go test ./pkg/report -run TestTorture -count 1 -v -mutants $(MUTANTS) -timeout 2h

MUTANT_PACKAGES ?= ./pkg/answer/... ./pkg/analysis/... ./pkg/replay ./pkg/report ./pkg/report/codec ./pkg/report/recording ./pkg/whatif ./pkg/allocator
MUTANT_EFFICACY ?= 80
GREMLINS := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0

mutants: ## change operators in MUTANT_PACKAGES; the tests of each must catch MUTANT_EFFICACY % of them (hours)
	@failed=""; for package in $$(go list -f '{{if .TestGoFiles}}{{.Dir}}{{else if .XTestGoFiles}}{{.Dir}}{{end}}' $(MUTANT_PACKAGES)); do \
		echo "$$package"; \
		go run $(GREMLINS) unleash --threshold-efficacy $(MUTANT_EFFICACY) $$package || failed="$$failed $$package"; \
	done; if [ -n "$$failed" ]; then echo "too few mutants are caught in$$failed"; exit 1; fi

RUNS ?= 3

bench: ## measure stats, digest and trace against their budgets; SIZES="10MB 1GB" RUNS=3 BENCHFLAGS=--markdown
	@go run ./cmd/memviz-bench files --runs $(RUNS) $(BENCHFLAGS) $(SIZES)

bench-predict: ## measure a prediction from two recordings against stats of one; SIZES="100k 1M" RUNS=3
	@go run ./cmd/memviz-bench predict --runs $(RUNS) $(BENCHFLAGS) $(SIZES)

bench-page: ## measure the page against its budgets; SIZES="20k 1M adversarial" RUNS=3
	@go run ./cmd/memviz-bench page --runs $(RUNS) $(BENCHFLAGS) $(SIZES)

bench-job: ## measure the comparison of the ranks of a job against its budgets; SIZES="64 1k 4k" RUNS=3
	@go run ./cmd/memviz-bench job --runs $(RUNS) $(BENCHFLAGS) $(SIZES)

bench-go: ## run the Go benchmarks, allocations reported
	go test -run '^$$' -bench . -benchmem ./...

profile: ## rewrite the profile that the compiler optimizes memviz for, from a large MEMVIZ_SNAPSHOT
	go test ./cmd/memviz -run '^$$' -bench Commands -benchtime 8x -o /dev/null -cpuprofile cmd/memviz/default.pgo

golden: ## rewrite all expected outputs; look at the diff before you commit it
	go test ./pkg/report/recording ./pkg/report/compare ./pkg/report/job ./pkg/answer ./pkg/answer/events ./pkg/answer/segments \
		./pkg/answer/stats ./pkg/answer/top ./pkg/snapshot ./cmd/memviz -update
	go test ./cmd/memviz-gen -skip TestExamples -update

examples: ## generate the simulated examples again, and rewrite the outputs quoted in all of them
	go test ./cmd/memviz-gen -run TestExamples -update
	go test ./cmd/memviz -run 'TestExampleStats|TestStories|TestStoryIndex|TestWalkThrough|TestTorchSays' -update

viewer: ## bundle assets/viewer into assets/dist
	go generate ./assets

SHOTS ?= bin/screenshots

screenshots: install-tools ## take pictures of ten situations and all sizes into SHOTS (default bin/screenshots), and those in examples
	MEMVIZ_NEED_BROWSER=1 go test ./pkg/report/pagetest -run TestScreenshots -count 1 -screenshots $(abspath $(SHOTS))

install-tools: ## install a browser, Node.js, npm and sqlite3 where they are missing (Debian)
	@missing=""; need() { command -v $$1 >/dev/null || missing="$$missing $$2"; }; \
	need node nodejs; need npm npm; need sqlite3 sqlite3; \
	if grep -qs '^ID=debian' /etc/os-release; then need chromium-headless-shell chromium-headless-shell; \
	else command -v google-chrome >/dev/null || need chromium chromium; fi; \
	if [ -n "$$missing" ]; then \
		command -v apt-get >/dev/null || { echo "install$$missing first"; exit 1; }; \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq $$missing >/dev/null; \
	fi

PYTHON_MODULES := ensurepip, pytest, ipykernel, nbconvert
PYTHON_PACKAGES := python3-venv python3-pytest python3-ipykernel python3-nbconvert

install-python: ## install missing requirements of the Python package's tests (Debian)
	@for python in python3 /usr/bin/python3; do \
		if $$python -c 'import $(PYTHON_MODULES)' 2>/dev/null; then exit 0; fi; \
	done; \
	command -v apt-get >/dev/null || { echo "install $(PYTHON_MODULES) for python3 first"; exit 1; }; \
	sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq \
		--no-install-recommends $(PYTHON_PACKAGES) >/dev/null

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16
