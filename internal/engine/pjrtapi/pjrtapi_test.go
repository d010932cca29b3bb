//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// asChild tells a copy of the test binary what to do: a process has one shim, and loads a plugin once.
const asChild = "GFNCP_TEST_CHILD"

// computes opens the plugin and multiplies two matrices and more: transfers, a compilation, runs.
func computes(path string) error {
	backend, err := must.M1(engine.Choose("xla:" + path)).Open()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	f := engine.NewFunc(backend, "product", func(in []*Node) []*Node { return []*Node{MatMul(in[0], in[0])} })
	for range 3 {
		out := must.M1(f.Call(tensors.FromValue([][]float32{{1, 2}, {3, 4}})))
		if got := must.M1(engine.Float32s(out[0])); !slices.Equal(got, []float32{7, 10, 15, 22}) {
			return fmt.Errorf("the product is %v", got)
		}
	}
	return nil
}

func TestMain(m *testing.M) {
	if path := os.Getenv(asChild); path != "" {
		if err := computes(path); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString(must.M1(pjrtapi.Prepare(path)).String())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A plugin of a newer API than go-xla's gets widened arguments, an older one does not; each computes.
func TestPlugins(t *testing.T) {
	for _, path := range xlatest.Plugins(t) {
		if out, err := child(path); err != nil || !strings.Contains(out, "0.") {
			t.Errorf("%s: %v, %s", path, err, out)
		}
	}
}

// child computes on a plugin in a process of its own, and returns what it says.
func child(path string) (string, error) {
	cmd := exec.Command(must.M1(os.Executable()))
	cmd.Env = append(os.Environ(), asChild+"="+path)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The shim knows go-xla's header by its version and the places of some functions in the table.
func TestShimFitsTheHeader(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	if err != nil {
		t.Skip("no go command")
	}
	header := string(must.M1(os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "pjrt/pjrt_c_api.h"))))
	ours := string(must.M1(os.ReadFile("shim.h")))
	number := func(text, name string) int {
		match := regexp.MustCompile(name + `\s*=?\s*(\d+)`).FindStringSubmatch(text)
		return must.M1(strconv.Atoi(match[1]))
	}
	version := pjrtapi.Version{Major: number(header, "PJRT_API_MAJOR"), Minor: number(header, "PJRT_API_MINOR")}
	if version != pjrtapi.Header {
		t.Errorf("go-xla's header has version %v, not %v", version, pjrtapi.Header)
	}
	words := map[string]int{}
	fields := regexp.MustCompile(`_PJRT_API_STRUCT_FIELD\((PJRT_\w+)\);`).FindAllStringSubmatch(header, -1)
	for word, field := range fields {
		words[field[1]] = word + number(ours, "first_function")
	}
	called := regexp.MustCompile(`(PJRT_\w+) = (\d+)`).FindAllStringSubmatch(ours, -1)
	for _, c := range called {
		if words[c[1]] != must.M1(strconv.Atoi(c[2])) {
			t.Errorf("%s is word %d, not %s", c[1], words[c[1]], c[2])
		}
	}
	if len(called) < 10 {
		t.Errorf("%d functions are called", len(called))
	}
	if len(fields) < 100 || len(fields) > number(ours, "most_functions") {
		t.Errorf("%d functions", len(fields))
	}
}
