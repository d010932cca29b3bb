//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
	"github.com/gfncp/gfncp/internal/engine/programs"
	"github.com/gfncp/gfncp/internal/engine/xlatest"
)

// record prints the program that is compiled, which is a hollow one.
func record(path string) {
	defer pjrtapi.Record(func(p pjrtapi.Program) string {
		must.M(json.NewEncoder(os.Stdout).Encode([][]byte{[]byte(p.Format), []byte(p.Code), []byte(p.Options)}))
		return ""
	})()
	if err := computes(path); !errors.Is(err, os.ErrInvalid) {
		panic(fmt.Sprintf("zeros are not the product of two matrices: %v", err))
	}
}

// A program that was compiled ahead is loaded by the same build of the plugin for the same kind of device with the same
// flags, whatever its number among programs; else, or damaged, it is compiled.
func TestAhead(t *testing.T) {
	for _, plugin := range xlatest.Plugins(t) {
		run := func(variables ...string) []byte {
			cmd := exec.Command(must.M1(os.Executable()))
			cmd.Env = slices.Concat(os.Environ(), []string{"XDG_CACHE_HOME=" + t.TempDir(), "XLA_FLAGS="}, variables)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v, %s", plugin, err, out)
			}
			return out
		}
		var parts [3][]byte // no texts: the options are bytes
		must.M(json.Unmarshal(run(recorded+"="+plugin), &parts))
		p := pjrtapi.Program{Format: string(parts[0]), Code: string(parts[1]), Options: string(parts[2])}
		p.Code = strings.Replace(p.Code, "module @product_1 ", "module @product_17 ", 1)
		cache := t.TempDir()
		run(asChild+"="+plugin, "XDG_CACHE_HOME="+cache)
		entry := must.M1(filepath.Glob(filepath.Join(cache, "gfncp/xla/programs/*")))[0]
		key := strings.TrimSuffix(filepath.Base(entry), programs.Suffix)
		executable, found := programs.AheadIn(filepath.Dir(entry)).Get(key)
		if !found || !strings.Contains(p.Code, "_17 ") {
			t.Fatalf("%s: entry %s, program %.100s", plugin, entry, p.Code)
		}
		identity := must.M1(programs.FileIdentity(plugin))
		same := pjrtapi.AheadKey(p, identity, "cpu")
		for _, test := range []struct {
			what, key, flags string
			bytes            []byte
			ahead            int
		}{
			{"same", same, "", executable, 1},
			{"other folder of tools", same, "--xla_gpu_cuda_data_dir=/x", executable, 1},
			{"other flags", same, "--xla_cpu_enable_fast_min_max=true", executable, 0},
			{"other device", pjrtapi.AheadKey(p, identity, "NVIDIA H100 80GB HBM3"), "", executable, 0},
			{"other build", pjrtapi.AheadKey(p, "another one", "cpu"), "", executable, 0},
			{"damaged", same, "", executable[:100], 0},
		} {
			folder := t.TempDir()
			must.M(programs.AheadIn(folder).Put(test.key, test.bytes))
			var counts pjrtapi.Counts
			must.M(json.Unmarshal(run(asChild+"="+plugin, counted+"=1", programs.AheadEnv+"="+folder,
				"XLA_FLAGS="+test.flags), &counts))
			if want := (pjrtapi.Counts{Compiled: 1 - test.ahead, Ahead: test.ahead}); counts != want {
				t.Errorf("%s, %s: %+v, want %+v", filepath.Base(plugin), test.what, counts, want)
			}
		}
	}
}
