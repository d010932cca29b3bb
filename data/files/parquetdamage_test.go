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
func TestParquetDamaged(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"list.parquet", "plain.parquet"} {
		raw := parquetFiles()[name]
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
func TestParquetBombs(t *testing.T) {
	footer := []byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07} // a field 1, a list of 2^31−1 structures
	bomb := append([]byte("PAR1"), footer...)
	bomb = append(little.AppendUint32(bomb, uint32(len(footer))), "PAR1"...)
	tail := append(little.AppendUint32([]byte("PAR1xxxx"), 1<<31), "PAR1"...)
	for name, test := range map[string]struct {
		raw  []byte
		want string
	}{
		"list.parquet":   {bomb, "claims a list of 2147483647 elements in 0 bytes"},
		"footer.parquet": {tail, "its footer claims 2147483648 of 16 bytes"},
	} {
		path := write(t, test.raw, t.TempDir(), name)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(path, DefaultOptions())
		runtime.ReadMemStats(&after)
		wantUserError(t, err, path, test.want)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: %d bytes were allocated for a file of %d", name, used, len(test.raw))
		}
	}
}
