package fileio

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

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
		if got := must.M1(Matching(dir, "step-*")); !slices.Equal(got, want[:2]) {
			t.Errorf("in %s: %v", name, got)
		}
	}
	if none, err := Matching(filepath.Join(t.TempDir(), "none"), "*"); len(none) > 0 || err != nil {
		t.Errorf("a missing directory holds %v (%v)", none, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	must.M(os.WriteFile(file, nil, 0o644))
	for dir, pattern := range map[string]string{file: "*", filepath.Dir(file): "["} {
		if _, err := Matching(dir, pattern); err == nil {
			t.Errorf("%s in %s is no fault", pattern, dir)
		}
	}
}
