package train_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func writeLog(t *testing.T, lines ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must.M(os.WriteFile(filepath.Join(dir, "metrics.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	return dir
}

// Replay hands each line of a log to its listener; a foreign line is named by its number.
func TestReplay(t *testing.T) {
	steps := []string{
		`{"step":1,"kind":"data","loss":4}`, `{"step":1,"validation_loss":3,"best":true}`,
		`{"step":2,"kind":"explore","loss":5}`,
	}
	dir := writeLog(t, steps...)
	var heard []string
	step := func(r train.StepReport, steps int) { heard = append(heard, fmt.Sprint(r.Step, r.Kind, r.Loss, steps)) }
	valid := func(v train.Validation) { heard = append(heard, fmt.Sprint(v.Step, v.Loss, v.Best)) }
	for _, test := range []struct {
		hear train.Listener
		want []string
	}{
		{train.Listener{Step: step, Valid: valid}, []string{"1data4 0", "1 3 true", "2explore5 0"}},
		{train.Listener{Step: step}, []string{"1data4 0", "2explore5 0"}},
		{train.Listener{Valid: valid}, []string{"1 3 true"}},
		{train.Listener{}, nil},
	} {
		heard = nil
		if err := train.Replay(dir, test.hear); err != nil || !slices.Equal(heard, test.want) {
			t.Errorf("heard %q (%v), want %q", heard, err, test.want)
		}
	}
	err := train.Replay(writeLog(t, append(steps, "no JSON")...), train.Listener{})
	if !usererr.Is(err) || !strings.Contains(err.Error(), "metrics.jsonl:4: ") {
		t.Errorf("a foreign line 4 gave %v", err)
	}
	if err := train.Replay(t.TempDir(), train.Listener{}); err == nil {
		t.Error("a directory without a log was heard")
	}
}

// FuzzParseConfig: any text is a config or a fault of the user's; a valid config means itself when it is written.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("model = 'ncp'\n[data]\nbatch = 4\n"))
	f.Add([]byte(train.Default(train.ST).String()))
	f.Add([]byte("[train]\nlearning_rate = nan\nsteps = 1_000\n"))
	f.Add([]byte("a.b.c = {d = [1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := train.ParseConfig("c.toml", text, train.Default(train.GFNCP))
		if err != nil {
			if !usererr.Is(err) {
				t.Errorf("%q gave %v", text, err)
			}
			return
		}
		if c.Validate() != nil {
			return
		}
		again, err := train.ParseConfig("again.toml", []byte(c.String()), train.Config{})
		if err != nil || again != c {
			t.Errorf("%+v, written and read, is %+v (%v)", c, again, err)
		}
	})
}

// FuzzReplay: any log of a run is replayed or refused, and any result read or refused.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"step":1,"kind":"data","loss":4}` + "\n" + `{"step":1,"validation_loss":3,"best":true}` + "\n"))
	f.Add([]byte(`{"step":1e99}`))
	f.Add([]byte("null\n[]\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		must.M(os.WriteFile(filepath.Join(dir, "metrics.jsonl"), text, 0o644))
		must.M(os.WriteFile(filepath.Join(dir, "result.json"), text, 0o644))
		if err := train.Replay(dir, train.Listener{}); err != nil && !usererr.Is(err) {
			t.Errorf("%q gave %v", text, err)
		}
		if r, err := train.ReadResult(dir); err == nil {
			t.Errorf("%q, without weights, is the result %+v", text, r)
		}
	})
}
