# Thin shortcuts; everything is also `go run ./cmd/gfncp …`. GOEXPERIMENT=simd makes the Go backend fast.
export GOEXPERIMENT := "simd"
export GODEBUG := "asyncpreemptoff=1"
export GOTOOLCHAIN := "auto" # an older Go fetches the one that go.mod names

# the tests of package after package in which goroutines meet, short ones
ALONGSIDE := "TestClose|ShardsTakeTurns|ShardsAgree|DiffersByShard|ReportHasEachField|InterruptedComputation|" + \
    "InterruptedWhileDataHang|GroupsDoNotChange|RefineStops|AreIndependent|AtTheRim|GivenEqualsTable|PredictIsTheLast|" + \
    "ConcurrentUse|SmallBatches|TestEnsemble$|RenderImages|PoolDeterminism|PoolIsReadOnce|FetchStops|" + \
    "TestResumeStream|TestDamagedStream|QualityCounts|QualityOfImages"

# list the recipes
default:
    @just --list

# run any command: just gfncp cluster examples/points.csv
gfncp *ARGS:
    @go run ./cmd/gfncp {{ARGS}}

# cluster a file of points
cluster *ARGS:
    @go run ./cmd/gfncp cluster {{ARGS}}

# compute a table of the paper
reproduce *ARGS:
    @go run ./cmd/gfncp reproduce {{ARGS}}

# train a model
train *ARGS:
    @go run ./cmd/gfncp train {{ARGS}}

# the short tests, as the README says; without debug information they link in half the time
test:
    go test -short -ldflags=-w ./...

# all tests: also those that start processes, browsers and long trainings; 40m, because 10m is too little beside other work
test-all:
    go test -ldflags=-w -timeout 40m ./...
    for module in research/*/go.mod webtest/go.mod pretrained/weights/go.mod; do \
        (cd "$(dirname "$module")" && go vet ./... && go test -ldflags=-w ./...) || exit 1; \
    done

# what runs in parallel, under the race detector: it knows no simd, and GoMLX's views of bytes as numbers fail its checkptr
race:
    GOEXPERIMENT= go test -race -gcflags=all=-d=checkptr=0 ./internal/atomicfile ./internal/beside ./internal/memory \
        ./sweep ./board ./serving
    GOEXPERIMENT= go test -race -gcflags=all=-d=checkptr=0 . ./train ./clustering ./sampling ./models \
        ./posterior ./data ./data/sources ./evaluation ./internal/engine -run '{{ALONGSIDE}}'

# random input to every reader that has a fuzz target, minutes for each, and how many there were: just fuzz 10 (FuzzNPY)
fuzz MINUTES PATTERN=".":
    @.ci/fuzz.sh {{MINUTES}} {{quote(PATTERN)}}

# kills, stops, full disks, damaged checkpoints and second writers at random moments: just torture 60
torture MINUTES:
    GFNCP_TORTURE={{MINUTES}}m go test -ldflags=-w ./cmd/gfncp -run TestTorture -v -timeout 0

# good, bad, slow and cut-off requests to serve and the board for minutes: just soak 60
soak MINUTES:
    GFNCP_SOAK={{MINUTES}}m go test -ldflags=-w ./cmd/gfncp -run TestSoak -v -timeout 0

# would the tests of a package notice a fault? just mutants metrics
mutants PACKAGE *ARGS:
    @.ci/mutants.sh {{PACKAGE}} {{ARGS}}

# formatting, linters, the pure-Go build, the page's
lint:
    test -z "$(go tool -modfile=tools/go.mod gofumpt -l .)"
    go vet ./...
    go tool -modfile=tools/go.mod staticcheck ./...
    CGO_ENABLED=0 go vet ./...
    GOOS=js GOARCH=wasm GOEXPERIMENT= go vet ./cmd/page

# a binary in bin/
build:
    @.ci/build.sh bin/gfncp

# a page that clusters in the browser: bin/page, for any static server (docs/your-data.md)
page:
    @.ci/page.sh bin/page

# one folder for a bare machine with a GPU: bin/gpu-bundle (benchmarks/gpu/README.md)
gpu-bundle *ARGS:
    @benchmarks/gpu/bundle.sh {{ARGS}}

# speed of this machine; leave it idle
bench *ARGS:
    @go run ./cmd/gfncp bench {{ARGS}}

# dist/: archives, wheels and weights of the version in version.go, with checksums: just release [linux/amd64]
release *SYSTEMS:
    @.ci/release.sh {{SYSTEMS}}
