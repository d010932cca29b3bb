package files

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

// However a file is cut or changed, it gives a pool or a fault that names it, not a panic; cut short it always gives
// a fault.
func TestFeatureFilesDamaged(t *testing.T) {
	dir := t.TempDir()
	files := featureFiles()
	for name, raw := range parquetFiles() {
		files[name] = raw
	}
	for _, name := range []string{"half.npz", "f16.safetensors", "list.parquet", "plain.parquet"} {
		raw := files[name]
		if raw == nil {
			t.Fatalf("there is no %s", name)
		}
		path := filepath.Join(dir, name)
		check := func(what string, content []byte, mustFail bool) {
			write(t, content, path)
			_, err := Open(path, DefaultOptions())
			switch {
			case err == nil && !mustFail:
			case err == nil:
				t.Errorf("%s %s: no fault", name, what)
			case !usererr.Is(err) || !strings.HasPrefix(err.Error(), path+": "):
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		for n := 0; n < len(raw); n += 1 + len(raw)/60 {
			check(fmt.Sprint("cut to ", n), raw[:n], true)
		}
		for at := range raw {
			if changed := bytes.Clone(raw); name == "list.parquet" && at < 300 { // in pages; the library panics at many
				changed[at] ^= 0x50
				check(fmt.Sprint("changed at ", at), changed, false)
			}
		}
		rng := rand.New(rand.NewPCG(1, uint64(len(raw))))
		for range 100 {
			changed := bytes.Clone(raw)
			at := rng.IntN(len(raw))
			changed[at] ^= byte(1 + rng.IntN(255))
			check(fmt.Sprint("changed at ", at), changed, false)
		}
	}
}

// What a small file claims costs no memory.
func TestFeatureBombs(t *testing.T) {
	huge := npyBytes("<f4", false, "1000000, 1000", 1, 2, 3)
	text := npyBytes("<U999999999", false, "4,")
	long := append([]byte(npyMagic), 2, 0, 0xff, 0xff, 0xff, 0x7f)
	many := make([]entry, maxArrays+1)
	for i := range many {
		many[i] = entry{fmt.Sprint(i, ".npy"), npyBytes("|u1", false, "1,", 1)}
	}
	footer := []byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07} // a field 1, a list of 2^31−1 structures
	bomb := append([]byte("PAR1"), footer...)
	bomb = append(little.AppendUint32(bomb, uint32(len(footer))), "PAR1"...)
	tail := append(little.AppendUint32([]byte("PAR1xxxx"), 1<<31), "PAR1"...)
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"values.npz": {
			npzBytes(entry{"x.npy", huge}),
			"the array x is cut short: 0 of 1000000×1000 values are there",
		},
		"text.npz": {
			npzBytes(entry{"x.npy", npyBytes("<f4", false, "1, 1", 0, 0, 0, 0)}, entry{"y.npy", text}),
			"",
		},
		"header.npz":         {npzBytes(entry{"x.npy", long}), "the array x claims a header of 2147483647 bytes"},
		"many.npz":           {npzBytes(many...), "more than 1000 arrays"},
		"no arrays.npz":      {npzBytes(entry{"readme.txt", []byte("x")}), "is an archive without a NumPy array"},
		"list.parquet":       {bomb, "claims a list of 2147483647 elements in 0 bytes"},
		"footer.parquet":     {tail, "its footer claims 2147483648 of 16 bytes"},
		"header.safetensors": {append(little.AppendUint64(nil, 99_999_999), "{}"...), "cut short"},
		"packed.npz.gz": {
			packed(npzBytes(entry{"x.npy", huge})),
			"is a packed file of features; unpack it with gunzip",
		},
	} {
		path := write(t, test.raw, t.TempDir(), name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(path, DefaultOptions())
		runtime.ReadMemStats(&after)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else {
			wantUserError(t, err, path, test.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 { // a thousand arrays take 5 MB
			t.Errorf("%s: %d bytes were allocated for a file of %d", name, used, len(test.raw))
		}
	}
}
