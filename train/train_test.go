package train_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

func goBackend() compute.Backend { return must.M1(must.M1(engine.Choose("go")).Open()) }

// tiny is a run of 8 steps on a network of 8 hidden units, with all kinds of GFNCP steps in it.
func tiny(model string) train.Config {
	c := train.Default(model)
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 8, 8
	c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Data.AlphaMin, c.Data.AlphaMax = 4, 5, 12, 2, 2
	c.Loss.Beta = 0.5
	c.Train.Steps, c.Train.ValidEvery, c.Train.CheckpointEvery, c.Train.ValidSets = 8, 3, 3, 4
	if model == train.GFNCP {
		c.Train.WarmupSteps = 2
	}
	return c
}

func lastCheckpoint(dir string) string {
	paths := must.M1(filepath.Glob(filepath.Join(dir, "checkpoints", "*.safetensors")))
	return paths[len(paths)-1]
}

// A run that is interrupted, anywhere, and resumed by a new trainer ends with the same bytes as an uninterrupted one:
// weights, optimizer state and the log's losses.
func TestResumeEqualsUninterrupted(t *testing.T) {
	t.Parallel()
	for model, steps := range map[string][]int{train.GFNCP: {1, 3, 5}, train.NCP: {4}} {
		whole := stopped(t, tiny(model), 8)
		for _, step := range steps {
			t.Run(fmt.Sprintf("%s/%d", model, step), func(t *testing.T) {
				dir := stopped(t, tiny(model), step)
				if want := fmt.Sprintf("step-%08d.safetensors", step); filepath.Base(lastCheckpoint(dir)) != want {
					t.Errorf("the interruption left the checkpoint %s, want %s", lastCheckpoint(dir), want)
				}
				finish(t, tiny(model), dir)
				endsAs(t, "resumed", dir, whole)
			})
		}
	}
}

// A crash, which writes nothing, loses only the steps since the last checkpoint, whose lines the log then has once; a
// half-written newest checkpoint is passed over with a warning. The two newest are kept.
func TestResumeAfterCrashAndDamage(t *testing.T) {
	t.Parallel()
	c := tiny(train.GFNCP)
	dir, whole := stopped(t, c, 8), stopped(t, c, 8)
	var kept []string
	for _, path := range must.M1(filepath.Glob(filepath.Join(dir, "checkpoints", "*"))) {
		kept = append(kept, filepath.Base(path))
	}
	if want := []string{"step-00000006.safetensors", "step-00000008.safetensors"}; !slices.Equal(kept, want) {
		t.Fatalf("of the checkpoints at 3, 6 and 8 the run kept %v, want %v", kept, want)
	}
	must.M(os.Remove(filepath.Join(dir, "result.json")))
	newest := lastCheckpoint(dir)
	must.M(os.Truncate(newest, 1000))
	log := filepath.Join(dir, "metrics.jsonl")
	must.M(os.WriteFile(log, append(must.M1(os.ReadFile(log)), []byte(`{"step":9,"lo`)...), 0o644))
	_, from, warnings := finish(t, c, dir)
	if from != 6 || len(warnings) != 1 || !strings.Contains(warnings[0], filepath.Base(newest)) {
		t.Errorf("resumed at %d, want 6; warnings %q do not name the damaged checkpoint", from, warnings)
	}
	endsAs(t, "after a crash", dir, whole)
}

// A run does not go on with another config, even one that begins while this one reads its data, and a finished one that
// has lost its config does not answer for another.
func TestOtherConfigIsRefused(t *testing.T) {
	t.Parallel()
	c := tiny(train.NCP)
	begun, done := stopped(t, c, 1), stopped(t, c, 8)
	must.M(os.Remove(filepath.Join(done, "config.toml")))
	c.Seed++
	refused(t, sources.Source, c, begun, "config.toml: holds a run with another config")
	refused(t, sources.Source, c, done, "but no run (no config.toml); choose another directory")
	dir := filepath.Join(t.TempDir(), "run")
	_, err := train.Run(t.Context(), goBackend(), func(d data.Config) (data.Source, error) {
		finish(t, tiny(train.NCP), dir)
		return sources.Source(d)
	}, c, dir, train.Listener{})
	if text := must.M1(os.ReadFile(train.ConfigPath(dir))); err == nil || string(text) != tiny(train.NCP).String() {
		t.Errorf("the later call gave %v and left\n%s", err, text)
	}
}

// With nothing but damaged checkpoints the run stops with a clear error instead of starting over.
func TestResumeNeverStartsOver(t *testing.T) {
	t.Parallel()
	c := tiny(train.NCP)
	dir := stopped(t, c, 4)
	for _, path := range must.M1(filepath.Glob(filepath.Join(dir, "checkpoints", "*"))) {
		must.M(os.WriteFile(path, []byte("not a checkpoint"), 0o644))
	}
	refused(t, sources.Source, c, dir, "step-00000004.safetensors: ")
	must.M(os.RemoveAll(filepath.Join(dir, "checkpoints")))
	refused(t, sources.Source, c, dir, "holds no checkpoint, but the run came to step 4")
}

// A new run takes no folder with files that it would overwrite; others stay beside its own.
func TestForeignFolder(t *testing.T) {
	t.Parallel()
	c := tiny(train.NCP)
	c.Train.Steps = 1
	dir := t.TempDir()
	result, other := filepath.Join(dir, "result.json"), filepath.Join(dir, "train.log")
	must.M(os.WriteFile(result, []byte("mine"), 0o644))
	refused(t, sources.Source, c, dir, "holds result.json")
	must.M(os.Rename(result, other))
	finish(t, c, dir)
	if text := must.M1(os.ReadFile(other)); string(text) != "mine" {
		t.Errorf("another file was changed to %q", text)
	}
}

// A run on own data does not go on with other data. Runs of before the fingerprint do.
func TestOtherDataIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "own.csv")
	pool := line(30)
	of := func(pool *data.Pool) train.Sources {
		return func(d data.Config) (data.Source, error) { return data.NewPoolSource(d, pool) }
	}
	c := must.M1(train.OwnData(train.NCP, pool, path))
	c.Net.Hidden, c.Net.Embed, c.Net.Global = 8, 8, 8
	c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, c.Train.CheckpointEvery = 2, 5, 8, 4, 2
	dir := filepath.Join(t.TempDir(), "run")
	goOn(t, of(pool), c, dir, 3)
	for why, other := range map[string]*data.Pool{
		"own.csv: has changed since the run began; give the run the data that": line(31),
		"own.csv: its points have 2 coordinates, but data.dim = 1":             {Name: path, D: 2, X: line(60).X},
	} {
		refused(t, of(other), c, dir, why)
	}
	goOn(t, of(pool), c, dir, 4)
}

// A short training of NCP on easy sets lowers its loss clearly below that of the first steps.
func TestTrainingLearns(t *testing.T) {
	t.Parallel()
	c := tiny(train.NCP)
	c.Net.Hidden, c.Train.Steps, c.Train.LearningRate = 32, 150, 2e-3
	trainer := must.M1(train.New(goBackend(), sources.Source, c))
	var first, last float64
	for step := range c.Train.Steps {
		r := must.M1(trainer.Advance())
		if step < 10 {
			first += r.Loss / 10
		}
		if step >= c.Train.Steps-10 {
			last += r.Loss / 10
		}
	}
	if last > 0.8*first {
		t.Errorf("mean loss of ten steps went from %.3f only to %.3f", first, last)
	}
}

// Cutting a batch into shards changes rounding only.
func TestShardsAgree(t *testing.T) {
	t.Parallel()
	for _, model := range []string{train.GFNCP, train.NCP} {
		c := tiny(model)
		c.Train.WarmupSteps, c.Loss.Beta = 0, 1
		var reports []train.StepReport
		for _, shards := range []int{1, 2, 3} {
			c.Train.Shards = shards
			reports = append(reports, must.M1(must.M1(train.New(goBackend(), sources.Source, c)).Advance()))
		}
		for _, r := range reports[1:] {
			if !(relative(r.Loss, reports[0].Loss) <= 1e-5) || !(relative(r.GradNorm, reports[0].GradNorm) <= 1e-4) {
				t.Errorf("%s: shards change the step: %+v and %+v", model, reports[0], r)
			}
		}
	}
}

// A run can start from a model file: its first step sees those weights, and a file of another size is refused.
func TestInitContinuesFromAModel(t *testing.T) {
	t.Parallel()
	c := tiny(train.NCP)
	dir := stopped(t, c, 8)
	c.Model, c.Train.Init = train.GFNCP, train.BestPath(dir)
	trainer := must.M1(train.New(goBackend(), sources.Source, c))
	want := must.M1(train.ReadModel(train.BestPath(dir))).Params
	for i, p := range must.M1(trainer.Weights()) {
		if !slices.Equal(p.Data, want[i].Data) {
			t.Fatalf("weight %s was not taken over", p.Name)
		}
	}
	c.Net.Online = true
	for _, p := range must.M1(must.M1(train.New(goBackend(), sources.Source, c)).Weights()) {
		same := func(q models.Param) bool { return q.Name == p.Name && slices.Equal(q.Data, p.Data) }
		if strings.HasPrefix(p.Name, "u.") || !slices.ContainsFunc(want, same) {
			t.Fatalf("weight %s of the online network is not that of the primary one", p.Name)
		}
	}
	c.Net.Hidden++
	if _, err := train.New(goBackend(), sources.Source, c); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "other sizes") {
		t.Errorf("weights of another size gave %v", err)
	}
}

// The balance loss of a config is what data and exploration steps minimize, while the log's mc stays marginal
// consistency: with the other terms off, the loss of a first step is mc itself for "mc" and, up to rounding, for "db";
// for "tb" it is another number of at most N−1 times mc (Cauchy-Schwarz), and so it is for "subtb", within N−1 squared.
func TestBalanceIsTrained(t *testing.T) {
	t.Parallel()
	for kind, beta := range map[string]string{"data": "loss.beta=1", "explore": "loss.beta=0"} {
		first := map[string]train.StepReport{}
		for _, balance := range []string{"", "mc", "db", "tb", "subtb"} {
			c := must.M1(tiny(train.GFNCP).Set(beta, "train.warmup_steps=0",
				"loss.lambda=0", "loss.delta=0", "loss.gauge=0"))
			if balance != "" {
				c = must.M1(c.Set("loss.balance=" + balance))
			}
			r := must.M1(must.M1(train.New(goBackend(), sources.Source, c)).Advance())
			if first[balance] = r; r.Kind != kind || r.Terms["mc"] <= 0 || r.Terms["mc"] != first[""].Terms["mc"] {
				t.Errorf("%s, balance %q: %+v", kind, balance, r)
			}
		}
		steps, mc := float64(first["tb"].Points-1), first[""].Terms["mc"]
		if first[""].Loss != mc || first["mc"].Loss != mc || !(relative(first["db"].Loss, mc) <= 1e-5) {
			t.Errorf("%s: mc is %v, the losses are %v by default, %v with mc, %v with db",
				kind, mc, first[""].Loss, first["mc"].Loss, first["db"].Loss)
		}
		for balance, most := range map[string]float64{"tb": steps * mc, "subtb": steps * steps * mc} {
			if loss := first[balance].Loss; loss <= 0 || loss > most || relative(loss, mc) < 1e-3 {
				t.Errorf("%s: the loss with %s is %v, mc %v", kind, balance, loss, mc)
			}
		}
	}
}

// Weights that have diverged stop the run with its step, wherever their energies are met first: in the negative sample
// of a data step (no validation comes before), or in a validation, which goes by with no agreement at all and leaves it
// to the next step.
func TestDivergedWeightsStop(t *testing.T) {
	t.Parallel()
	for _, model := range []string{train.GFNCP, train.NCP} {
		for _, validEvery := range []int{1, 8} {
			c := tiny(model)
			c.Loss.Beta = 1
			c.Train.LearningRate, c.Train.ClipNorm, c.Train.WarmupSteps, c.Train.ValidEvery = 1e9, 0, 0, validEvery
			dir := filepath.Join(t.TempDir(), "run")
			_, err := train.Run(t.Context(), goBackend(), sources.Source, c, dir, train.Listener{})
			var diverged *train.NonFiniteError
			if !errors.As(err, &diverged) || diverged.Step != 2 || diverged.Seed != c.Seed {
				t.Errorf("%s, validation every %d steps: a rate of 1e9 gave %v, want a stop at step 2",
					model, validEvery, err)
			}
			if validEvery > 1 {
				continue
			}
			var v []train.Validation
			must.M(train.Replay(dir, train.Listener{Valid: func(one train.Validation) { v = append(v, one) }}))
			if len(v) != 1 || v[0].NMI != 0 || v[0].Loss < 1e300 {
				t.Errorf("%s: the validation of diverged weights is %+v", model, v)
			}
		}
	}
}
