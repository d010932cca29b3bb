package sweep

import (
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

// Trainings for a table end where the table looks for them. A second call that asks for fewer, since some are done,
// opens the same sweep; one that asks for another makes a new one.
func TestTrainings(t *testing.T) {
	root, runs := filepath.Join(t.TempDir(), "a [1] *"), t.TempDir()
	run := func(name string, seed uint64) train.Planned {
		c := must.M1(train.Default(train.NCP).Set(
			"net.hidden=8", "net.embed=4", "net.global=4", "data.batch=4",
			"data.n_min=5", "data.n_max=10", "train.steps=3",
			"train.valid_sets=2"))
		c.Seed = seed
		return train.Planned{Name: name, Dir: filepath.Join(runs, name), Config: c}
	}
	a, b, c := run("a", 1), run("b", 2), run("c", 3)
	first, jobs, err := Trainings(root, "table3", "smoke", []train.Planned{a, b})
	must.M(err)
	if len(jobs) != 2 || jobs[1].Run != "b" || first.RunDir(jobs[1]) != b.Dir || jobs[1].Config != b.Config {
		t.Fatalf("jobs %+v", jobs)
	}
	again, jobs, err := Trainings(root, "table3", "smoke", []train.Planned{b})
	must.M(err)
	if again.Dir != first.Dir || len(jobs) != 1 || jobs[0].N != 2 {
		t.Errorf("fewer trainings are in %s (first %s): %+v", again.Dir, first.Dir, jobs)
	}
	must.M(again.Work(t.Context(), jobs[0], lab(train.Listener{})))
	if state, result := must.M1(again.State(jobs[0])), must.M1(train.ReadResult(b.Dir)); state.Status != Done ||
		result.Steps != 3 {
		t.Errorf("trained: %+v, %+v", state, result)
	}
	changed := b
	changed.Config.Train.Steps++
	for _, other := range [][]train.Planned{{b, c}, {changed}} {
		s, jobs, err := Trainings(root, "table3", "smoke", other)
		must.M(err)
		if s.Dir == first.Dir || len(jobs) != len(other) {
			t.Errorf("other trainings: %s, %+v", s.Dir, jobs)
		}
	}
}
