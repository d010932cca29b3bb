package engine

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// noPlugins hides every plugin and backend setting of this machine.
func noPlugins(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", folder)
	t.Setenv(BackendEnv, "")
	return folder
}

// putPlugin makes an empty file, and its folder: plugins are found by name, and only Open loads them.
func putPlugin(place ...string) string {
	path := filepath.Join(place...)
	must.M(os.MkdirAll(filepath.Dir(path), 0o700))
	must.M(os.WriteFile(path, nil, 0o600))
	return path
}

// Trap 1: every spelling of the Go backend leads to the mode that cannot deadlock, or is refused.
func TestGoNeverRunsInADeadlockingMode(t *testing.T) {
	noPlugins(t)
	for _, name := range []string{"", "auto", "go", "go:", "go:ops_sequential"} {
		choice, err := Choose(name)
		if err != nil || choice.Config != "go:ops_sequential" || choice.Name != "go" {
			t.Errorf("Choose(%q) = %q named %q, %v", name, choice.Config, choice.Name, err)
		}
		t.Setenv(BackendEnv, name)
		fromEnv, err := Choose("auto")
		if err != nil || fromEnv.Config != "go:ops_sequential" {
			t.Errorf("%s=%q: Choose(auto) = %q, %v", BackendEnv, name, fromEnv.Config, err)
		}
		t.Setenv(BackendEnv, "")
	}
	for _, name := range []string{"go:ops_parallel", "go:parallelism=2", "go:ops_sequential,ops_parallel"} {
		if _, err := Choose(name); !usererr.Is(err) {
			t.Errorf("Choose(%q) gave %v", name, err)
		}
	}
}

// Trap 1: 4·GOMAXPROCS products of 2²⁴ multiply-adds, all ready at once, come to an end. Checked by hand (GoMLX 0.28.2,
// compute 0.1.3, 2 cores): the same graph hangs for ever under "go:", "go:ops_parallel",
// "go:ops_sequential,ops_parallel", "go:parallelism=2" and "go:parallelism=4", and ends under "go:parallelism=64" and
// "go:parallelism=-1".
func TestManyLargeProductsDoNotDeadlock(t *testing.T) {
	const size = 256
	choice := must.M1(Choose("go"))
	backend := must.M1(choice.Open())
	products := 4 * runtime.GOMAXPROCS(0)
	f := NewFunc(backend, "large products", func(in []*graph.Node) []*graph.Node {
		sum := graph.ScalarZero(in[0].Graph(), in[0].DType())
		for i := range products {
			sum = graph.Add(sum, graph.ReduceAllSum(graph.Dot(graph.AddScalar(in[0], float64(i)), in[0]).Product()))
		}
		return []*graph.Node{sum}
	})
	identity := make([]float32, size*size)
	for i := range size {
		identity[i*size+i] = 1
	}
	done := make(chan float32, 1)
	go func() { done <- must.M1(f.Call(matrix(identity, size, size)))[0].Value().(float32) }()
	select {
	case got := <-done:
		// Σ of all entries of (I + i)·I is size + i·size²; Σ_i over i < p is p·size + size²·p(p−1)/2.
		want := float64(products*size + size*size*products*(products-1)/2)
		if math.Abs(float64(got)-want) > 1e-5*want {
			t.Errorf("sum of the products = %v, want %v", got, want)
		}
		backend.Finalize()
	case <-time.After(time.Minute):
		t.Fatalf("%d products under %s: still not done, this is the deadlock", products, choice.Config)
	}
}

func TestChooseForcedXLA(t *testing.T) {
	for _, platform := range []string{"cpu", "cuda"} {
		t.Run(platform, func(t *testing.T) {
			folder := noPlugins(t)
			_, err := Choose("xla:" + platform)
			if !usererr.Is(err) || !strings.Contains(err.Error(), "xla:"+platform) {
				t.Fatalf("without a plugin: %v, want a usererr.Error that names the backend", err)
			}
			plugin := putPlugin(folder, "pjrt_c_api_"+platform+"_plugin.so")
			choice, err := Choose("xla:" + platform)
			if !xlaLinked {
				if !usererr.Is(err) || !strings.Contains(err.Error(), "cgo") {
					t.Fatalf("without cgo: %v, want a usererr.Error that names cgo", err)
				}
				return
			}
			want := map[string]string{
				"cpu": "xla:" + plugin, "cuda": "xla:" + plugin + ",preallocate=false,tf32=false",
			}[platform]
			if err != nil || choice.Config != want || choice.Name != "xla:"+platform {
				t.Errorf("with a plugin: %q named %q, %v, want %q", choice.Config, choice.Name, err, want)
			}
		})
	}
}

func TestChooseRefusesUnknownNames(t *testing.T) {
	noPlugins(t)
	for _, name := range []string{"nosuch:option", "xla", "xla:tpu,tf32=true", "xla:plugin.so"} {
		if _, err := Choose(name); !usererr.Is(err) || !strings.Contains(err.Error(), "is unknown; choose one of") {
			t.Errorf("backend %s gave %v", name, err)
		}
	}
}

func TestChooseSaysWhenTheEnvironmentDecided(t *testing.T) {
	noPlugins(t)
	t.Setenv(BackendEnv, "go")
	choice, err := Choose("auto")
	if err != nil || choice.Reason != "GOMLX_BACKEND=go in the environment" {
		t.Errorf("reason = %q, %v", choice.Reason, err)
	}
	if choice, err = Choose("go"); err != nil || choice.Reason != "asked for by name" {
		t.Errorf("a name overrules the environment: reason = %q, %v", choice.Reason, err)
	}
	t.Setenv(BackendEnv, "xla:cuda")
	if _, err = Choose(""); !usererr.Is(err) {
		t.Errorf("%s=xla:cuda without a plugin: %v, want a usererr.Error", BackendEnv, err)
	}
	t.Setenv(BackendEnv, "auto")
	if choice, err = Choose("auto"); err != nil || choice.Name != "go" {
		t.Errorf("%s=auto: %+v, %v, want go", BackendEnv, choice, err)
	}
}

// Every branch of the rule behind "auto".
func TestAutomatic(t *testing.T) {
	const cuda = "/p/cuda.so"
	for _, test := range []struct {
		cuda string
		card bool
		want Choice
	}{
		{"", false, onGo("no CUDA plugin is installed")},
		{"", true, onGo("no CUDA plugin is installed")},
		{cuda, false, onGo("a CUDA plugin is installed (/p/cuda.so) but no NVIDIA card was found")},
		{cuda, true, Choice{
			"xla:/p/cuda.so,preallocate=false,tf32=false", "xla:cuda",
			"a CUDA plugin (/p/cuda.so) and an NVIDIA card are here", cuda,
		}},
	} {
		want := test.want
		if !xlaLinked {
			want = onGo("this binary was built without cgo, so it has the Go backend alone")
		}
		if got := automatic(test.cuda, test.card); got != want {
			t.Errorf("automatic(%q, %v) = %+v, want %+v", test.cuda, test.card, got, want)
		}
	}
}
