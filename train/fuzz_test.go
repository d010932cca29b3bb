package train_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

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
