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

// writeLog makes a run directory with the given lines in its log.
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
	want := train.Validation{Step: 1, Loss: 3, Best: true}
	if got, err := train.ReadValidations(dir); err != nil || !slices.Equal(got, []train.Validation{want}) {
		t.Errorf("validations %+v (%v), want %+v", got, err, want)
	}

	err := train.Replay(writeLog(t, append(steps, "no JSON")...), train.Listener{})
	if !usererr.Is(err) || !strings.Contains(err.Error(), "metrics.jsonl:4: ") {
		t.Errorf("a foreign line 4 gave %v", err)
	}
	if all, err := train.ReadValidations(writeLog(t, steps[0])); err == nil || all != nil {
		t.Errorf("a log without a validation gave %v, %v", all, err)
	}
	if err := train.Replay(t.TempDir(), train.Listener{}); err == nil {
		t.Error("a directory without a log was heard")
	}
}
