package programs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/programs"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// asChild tells a copy of the test binary to compute on a plugin: what a process has compiled is seen in the next one.
const asChild = "GFNCP_TEST_CHILD"

// counts are the programs of a process.
type counts struct{ Compiled, Loaded int }

// computes runs two programs on a plugin and prints how many were compiled and loaded.
func computes(path string) {
	var seen counts
	pjrtapi.Listen(func(made pjrtapi.Made) {
		if seen.Compiled = made.Compiled; made.Loaded {
			seen.Loaded++
		}
	})
	backend := must.M1(must.M1(engine.Choose("xla:" + path)).Open())
	defer backend.Finalize()
	for i, want := range [][]float32{{7, 10, 15, 22}, {2, 4, 6, 8}} {
		f := engine.NewFunc(backend, "product", func(in []*Node) []*Node {
			return []*Node{[]*Node{MatMul(in[0], in[0]), Add(in[0], in[0])}[i]}
		})
		out := must.M1(f.Call(tensors.FromValue([][]float32{{1, 2}, {3, 4}})))
		if got := must.M1(engine.Float32s(out[0])); !slices.Equal(got, want) {
			panic(fmt.Sprintf("got %v, want %v", got, want))
		}
	}
	must.M(json.NewEncoder(os.Stdout).Encode(seen))
}

func TestMain(m *testing.M) {
	if path := os.Getenv(asChild); path != "" {
		computes(path)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child computes in another process whose user's cache folder is given, and returns its counts and what it says.
func child(t *testing.T, plugin, cache string, environment ...string) (counts, string) {
	t.Helper()
	cmd := exec.Command(must.M1(os.Executable()))
	cmd.Env = slices.Concat(os.Environ(), []string{asChild + "=" + plugin, "XDG_CACHE_HOME=" + cache}, environment)
	var says strings.Builder
	cmd.Stderr = &says
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, says.String())
	}
	var seen counts
	must.M(json.Unmarshal(out, &seen))
	return seen, says.String()
}

var compiled, loaded = counts{Compiled: 2}, counts{Loaded: 2}

// What one process compiled the next one loads. Entries that are cut, or whole but foreign to the plugin, and other
// flags of XLA lead to a compilation, and it to entries that are loaded again.
func TestCache(t *testing.T) {
	for _, plugin := range xlatest.Plugins(t) {
		cache := t.TempDir()
		entries := func() []string {
			return must.M1(filepath.Glob(filepath.Join(cache, "gfncp/xla/programs/*"+programs.Suffix)))
		}
		expect := func(what string, want counts, environment ...string) {
			t.Helper()
			if got, says := child(t, plugin, cache, environment...); got != want || says != "" {
				t.Errorf("%s, %s: %+v, want %+v; it says %q", filepath.Base(plugin), what, got, want, says)
			}
		}
		expect("first run", compiled)
		expect("second run", loaded)
		for _, path := range entries() {
			must.M(os.Truncate(path, 100))
		}
		expect("cut entries", compiled)
		expect("after that", loaded)
		store := programs.Store{Folder: filepath.Join(cache, "gfncp/xla/programs"), Most: programs.MostBytes}
		for _, path := range entries() {
			must.M(store.Put(strings.TrimSuffix(filepath.Base(path), programs.Suffix), []byte("no program of XLA's")))
		}
		expect("foreign entries", compiled)
		expect("after that", loaded)
		expect("other flags", compiled, "XLA_FLAGS=--xla_cpu_enable_fast_min_max=true")
		if len(entries()) != 4 {
			t.Errorf("%d entries, want two for each of two flags", len(entries()))
		}
	}
}

// Processes that start together disturb each other in nothing.
func TestSeveralProcesses(t *testing.T) {
	plugin, cache := xlatest.Plugin(t), t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if seen, says := child(t, plugin, cache); seen.Compiled+seen.Loaded != 2 || says != "" {
				t.Errorf("%+v, it says %q", seen, says)
			}
		})
	}
	wg.Wait()
	if seen, _ := child(t, plugin, cache); seen != loaded {
		t.Errorf("then %+v", seen)
	}
}

// A cache folder that cannot be written, or is not known, is one line, and work goes on.
func TestNoCacheFolder(t *testing.T) {
	plugin, file := xlatest.Plugin(t), filepath.Join(t.TempDir(), "file")
	must.M(os.WriteFile(file, nil, 0o644))
	for cache, names := range map[string]string{file: filepath.Join(file, "gfncp/xla/programs"), "not/absolute": ""} {
		seen, says := child(t, plugin, cache)
		if seen != compiled || strings.Count(says, "\n") != 1 || !strings.HasPrefix(says, "gfncp: warning: "+names) ||
			!strings.Contains(says, programs.Remedy) {
			t.Errorf("%s: %+v, it says %q", cache, seen, says)
		}
	}
}
