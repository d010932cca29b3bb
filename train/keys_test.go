package train_test

import (
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// Keys that nothing reads are refused, unless they are as they would be without.
func TestCheckKeys(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ model, source, set, want string }{
		{train.GFNCP, "mog", "data.split=foo", "does not read it; leave it out"},
		{train.GFNCP, "mog", "data.path=/x", "data.path = /x means"},
		{train.GFNCP, "mog", "data.images.rotation=3", "does not read it; leave it out"},
		{train.GFNCP, "mog", "data.vectors.noise=3", "data.vectors.noise = 3 means"},
		{train.GFNCP, "mog", "data.factor=3", "data.factor = 3 means"},
		{train.GFNCP, "mog", "data.augment_base=true", "data.augment_base = true means"},
		{train.GFNCP, "mog", "loss.subtb_lambda=0.5", "does not read it; leave it out"},
		{train.GFNCP, "mog", "train.warmup_steps=6000", "train.warmup_steps = 6000 is more than train.steps = 5000; "},
		{train.NCP, "mog", "loss.lambda=3", "loss.lambda = 3 means nothing here: such a training of ncp on mog does"},
		{train.ST, "mog", "data.max_k=9", "does not read it; leave it out"},
		{train.ST, "mog", "train.final_rate=1", "does not read it; leave it out"},
		{train.DAC, "mog", "net.hidden=9", "does not read it; leave it out"},
		{train.DAC, "mog", "loss.normalize=sum", "does not read it; leave it out"},
		{train.NCP, "mnist", "data.sigma_x=3", "does not read it; leave it out"},
		{train.NCP, "mnist", "data.walk=3", ""},
		{train.NCP, "mog", "loss.normalize=sum", ""},
		{train.NCP, "mog", "loss.lambda=0.4", ""},
		{train.GFNCP, "mog", "train.steps=9", "is more than train.steps = 9; set train.warmup_steps to 4"},
		{train.GFNCP, "mog", "train.warmup_steps=5000", ""},
	} {
		base := train.DefaultOn(test.model, test.source)
		if test.model == train.GFNCP {
			base.Train.WarmupSteps = 10 // as in a file
		}
		err := must.M1(base.Set(test.set)).CheckKeys(base, train.Keys()...)
		if (err == nil) != (test.want == "") ||
			err != nil && (!usererr.Is(err) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s on %s, %s: %v, want %q", test.model, test.source, test.set, err, test.want)
		}
	}
}

// What is written counts: 0 does not become a default, and a key that is not known, a value of another kind and what is
// no TOML are named with their line.
func TestWrittenValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[loss]\nsubtb_lambda = 0":        "x.toml: loss.subtb_lambda = 0 is not allowed; choose",
		"loss.balance_weight = 0.0":       "x.toml: loss.balance_weight = 0 is not allowed",
		"[train]\nsteps = 1.5":            "x.toml:2: train.steps has a value of the wrong kind, float; see",
		"net.online = 3":                  "x.toml:1: net.online has a value of the wrong kind, integer",
		"[train]\nclip_norm = \"a\"":      "x.toml:2: train.clip_norm has a value of the wrong kind, string",
		"seed = 3\n[train]\nstepz = 4":    `x.toml:3: unknown key "train.stepz"`,
		"seed = 3\nsteps : 4":             "x.toml:2: ",
		"train = 3":                       "x.toml:1: train has a value of the wrong kind, integer",
		"model = 3":                       "x.toml:1: model has a value of the wrong kind, integer",
		"\ufeffmodel = \"ncp\"\nseed = 7": "",
	} {
		c, err := train.ParseConfig("x.toml", []byte(text), train.Default(train.GFNCP))
		if want == "" && (err != nil || c.Model != train.NCP || c.Loss != train.Default(train.NCP).Loss) ||
			want != "" && (!usererr.Is(err) || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q gave %v, want %q", text, err, want)
		}
	}
}
