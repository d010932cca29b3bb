package board

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// The page reads a log from where it stopped: whole lines alone, and anew where the log was cut.
func TestLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 3)
	url := serve(t, &Board{Folders: []string{dir}})
	path := filepath.Join(dir, "metrics.jsonl")
	read := func(id string, from int) (int, string) {
		r := must.M1(http.NewRequest("GET", fmt.Sprintf("%slog/%s?from=%d", url, id, from), nil))
		status, text, _ := ask(t, r)
		return status, text
	}
	id, lines := idOf(dir), logLine(1)+logLine(2)+logLine(3)
	if status, text := read(id, 0); status != 200 || text != lines {
		t.Errorf("status %d: %s", status, text)
	}
	must.M(os.WriteFile(path, []byte(lines+logLine(4)+`{"step":5,"ki`), 0o644))
	if status, text := read(id, len(lines)); status != 200 || text != logLine(4) {
		t.Errorf("status %d: %s", status, text)
	}
	must.M(os.Truncate(path, 10))
	for from, want := range map[int]int{len(lines): 205, -1: 404} {
		if status, text := read(id, from); status != want {
			t.Errorf("from %d: status %d, want %d: %s", from, status, want, text)
		}
	}
	must.M(os.WriteFile(path, make([]byte, mostRead+1), 0o644))
	if status, text := read(id, 0); status != 422 || !strings.Contains(text, "longer than") {
		t.Errorf("of a line without an end: status %d: %s", status, text)
	}
	must.M(os.Remove(path))
	if status, text := read(id, 0); status != 200 || text != "" {
		t.Errorf("before the log is there: status %d: %s", status, text)
	}
	if status, _ := read("other", 0); status != 404 {
		t.Errorf("of no run: status %d", status)
	}
}
