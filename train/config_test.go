package train_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// The printed defaults are pinned, so that a changed default shows in review (testdata/default-gfncp.toml).
func TestDefaultConfigGolden(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "default-gfncp.toml")
	got := train.Default(train.GFNCP).String()
	if os.Getenv("GFNCP_UPDATE") != "" {
		must.M(os.WriteFile(golden, []byte(got), 0o644))
	}
	if want := string(must.M1(os.ReadFile(golden))); got != want {
		t.Errorf("the defaults changed; got\n%s\nwant\n%s\n(GFNCP_UPDATE=1 rewrites the file)", got, want)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	c := must.M1(train.Default(train.NCP).Set("train.steps=7", "loss.explore=merge-blocks",
		"seed=42", "net.online=true"))
	if c.Train.Steps != 7 || c.Loss.Explore != "merge-blocks" || c.Seed != 42 || !c.Net.Online {
		t.Errorf("Set gave %+v", c)
	}
	for override, want := range map[string]string{
		"train.stepz=7":     `unknown key "train.stepz"`,
		"train.steps":       `Set "train.steps" has no key and value; write key=value`,
		"train.steps=many":  "Set train.steps=many: ",
		"=3":                "has no key and value",
		"train.steps=7\nx=": "Set ",
	} {
		_, err := train.Default(train.NCP).Set(override)
		if !usererr.Is(err) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Set(%q) gave %v, want a one-line error with %q", override, err, want)
		}
	}
}

// Validate gathers every fault with key, value and bound.
func TestValidateReportsAllFaults(t *testing.T) {
	t.Parallel()
	c := train.Default("sdac")
	c.Train.Steps, c.Loss.Beta, c.Net.Dim, c.Data.Batch, c.Seed = 0, 2, 3, 0, 1<<63
	err := c.Validate()
	for _, want := range []string{
		`model = "sdac"`, "train.steps = 0", "loss.beta is 2", "data.dim = 2 but net.dim = 3", "data.batch is 0",
		"seed = 9223372036854775808 is out of range; choose 0 to 9223372036854775807",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate gave %v, which lacks %q", err, want)
		}
	}
	if err := train.Default(train.GFNCP).Validate(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
}

// A safetensors file of another program is refused by its path, with a remedy.
func TestReadModelRefusesForeignFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "foreign")
	file := &safetensors.File{Metadata: map[string]string{"format": "pt"}}
	must.M(atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, file) }))
	_, err := train.ReadModel(path)
	if !usererr.Is(err) || !strings.HasPrefix(err.Error(), path+": is a safetensors file, but not of gfncp; ") {
		t.Errorf("got %v", err)
	}
}

// FuzzDecodeModel: any bytes give a model or a one-line error, never a panic.
func FuzzDecodeModel(f *testing.F) {
	c := tiny(train.NCP)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 2, 1, 1
	trainer := must.M1(train.New(goBackend(), sources.Source, c))
	path := filepath.Join(f.TempDir(), "m.safetensors")
	must.M(train.WriteModel(path, &train.Model{Config: c, Params: must.M1(trainer.Weights())}))
	valid := must.M1(os.ReadFile(path))
	f.Add(valid)
	f.Add(valid[:len(valid)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := train.DecodeModel("fuzz", content)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		if err := m.Config.Net.Layout().Check(m.Params); err != nil {
			t.Errorf("a model that does not fit its config: %v", err)
		}
	})
}

// Configs of the two extended networks that were trained before net.extended are read; other networks are refused.
func TestOlderNetworks(t *testing.T) {
	for keys, want := range map[string]string{
		"online = true\nmoments = true\nalpha = true":                                      "",
		"online = false\nmoments = true\nmean_shift = true\nalpha = true\nadditive = true": "",
		"online = false\nmoments = true":                                                   "moments",
		"online = false\nmoments = true\nalpha = true":                                     "moments",
	} {
		c, err := train.ParseConfig("old.toml", []byte("[net]\n"+keys+"\n"), train.Default(train.GFNCP))
		switch {
		case want == "" && (err != nil || !c.Net.Extended || c.Net.Online != strings.Contains(keys, "online = true")):
			t.Errorf("%q: extended %v, online %v, %v", keys, c.Net.Extended, c.Net.Online, err)
		case want != "" && (!usererr.Is(err) || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v", keys, err)
		}
	}
}
