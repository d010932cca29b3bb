// Package testruns writes run directories for the tests of the board.
package testruns

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/train"
)

// WriteRun makes a run directory with so many steps in its log, a validation after each tenth. The files are as
// train.Run writes them, but the log is three days old.
func WriteRun(t *testing.T, dir string, steps int) {
	t.Helper()
	must.M(os.MkdirAll(dir, 0o755))
	must.M(os.WriteFile(train.ConfigPath(dir), []byte(train.Default(train.GFNCP).String()), 0o644))
	Grow(t, dir, 1, steps)
	old := time.Now().Add(-73 * time.Hour)
	must.M(os.Chtimes(train.LogPath(dir), old, old))
}

// Grow appends steps to a run's log.
func Grow(t *testing.T, dir string, from, to int) {
	t.Helper()
	file := must.M1(os.OpenFile(train.LogPath(dir), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644))
	for step := from; step <= to; step++ {
		must.M1(file.WriteString(LogLine(step)))
	}
	must.M(file.Close())
}

// LogLine returns the lines of a step in a log: its report, and each tenth step a validation.
func LogLine(step int) string {
	text := fmt.Sprintf(`{"step":%d,"kind":"data","loss":%g,"grad_norm":%g,"learning_rate":0.001,"points":100,`+
		`"clusters":6,"seconds":0.2}`+"\n", step, 3/(1+0.05*float64(step)), 1+float64(step%7))
	if step%10 == 0 {
		text += fmt.Sprintf(`{"step":%d,"validation_loss":%g,"nmi":%g,"found_clusters":7,"true_clusters":6,`+
			`"best":true}`+"\n", step, 2.5/(1+0.04*float64(step)), 1-1/(1+0.1*float64(step)))
	}
	return text
}
