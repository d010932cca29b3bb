package fileio

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/testfiles"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Packed data may take a quarter of the memory that may be used, and not a byte more.
func TestUnpackIsBounded(t *testing.T) {
	must.M(memory.SetLimit("64MB"))
	t.Cleanup(func() { must.M(memory.SetLimit("1TB")) })
	for n, fits := range map[int]bool{1000: true, 16_000_000: true, 16_000_001: false, 60_000_000: false} {
		in, is, err := Unpack(bytes.NewReader(testfiles.Packed(make([]byte, n))))
		must.M(err)
		all, err := io.ReadAll(in)
		if !is || (err == nil) != fits || fits && len(all) != n {
			t.Errorf("%d bytes: %d read, %v", n, len(all), err)
		}
		if fault := ReadFault("data.csv.gz", err); !fits && (!usererr.Is(fault) ||
			!strings.HasPrefix(fault.Error(), "data.csv.gz: the data are more than")) {
			t.Errorf("%d bytes: %v", n, fault)
		}
	}
}

// What stands in the path of the directory is no pattern.
func TestMatching(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "g[1]", "h[x", "a*b?", `back\slash`} {
		dir := filepath.Join(t.TempDir(), name)
		must.M(os.Mkdir(dir, 0o755))
		var want []string
		for _, file := range []string{"step-1", "step-2", "other"} {
			must.M(os.WriteFile(filepath.Join(dir, file), nil, 0o644))
			want = append(want, filepath.Join(dir, file))
		}
		if got := Matching(dir, "step-*"); !slices.Equal(got, want[:2]) {
			t.Errorf("in %s: %v", name, got)
		}
	}
	for _, dir := range []string{filepath.Join(t.TempDir(), "none"), testfiles.Write(t, nil, t.TempDir(), "file")} {
		if found := Matching(dir, "*"); len(found) > 0 {
			t.Errorf("%s holds %v", dir, found)
		}
	}
}

// Links in a circle are the user's to mend.
func TestOpenFaultOfACircle(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("link", link); err != nil {
		t.Skip(err)
	}
	_, err := os.Open(link)
	if fault := OpenFault(link, err); !usererr.Is(fault) || !strings.Contains(fault.Error(), "lead in a circle") {
		t.Errorf("a circle of links gave %v", fault)
	}
}
