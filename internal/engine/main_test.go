package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
)

// helperEnv turns the test binary into the helper of TestPrepare.
const helperEnv = "GFNCP_ENGINE_TEST_HELPER"

type helperReport struct {
	Settings []string // all GODEBUG settings of the environment; more than one is a fault
	Args     []string
	Stdin    string
	PID      int
}

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		helper()
		return
	}
	os.Exit(m.Run())
}

func helper() {
	if err := Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	report := helperReport{
		Args: os.Args[1:], Stdin: string(must.M1(io.ReadAll(os.Stdin))), PID: os.Getpid(),
	}
	for _, setting := range os.Environ() {
		if value, ok := strings.CutPrefix(setting, "GODEBUG="); ok {
			report.Settings = append(report.Settings, value)
		}
	}
	must.M(json.NewEncoder(os.Stdout).Encode(report))
}

var goTestBackend = sync.OnceValue(func() compute.Backend { return must.M1(must.M1(Choose("go")).Open()) })

type graphFunc = func(in []*graph.Node) []*graph.Node

func matrix(values []float32, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(values, dims...)
}

// callOnce builds fn, runs it on the arguments and returns the results' values.
func callOnce(t *testing.T, build graphFunc, args ...*tensors.Tensor) [][]float32 {
	t.Helper()
	var values [][]float32
	for _, out := range must.M1(NewFunc(goTestBackend(), t.Name(), build).Call(args...)) {
		values = append(values, must.M1(Float32s(out)))
	}
	return values
}
