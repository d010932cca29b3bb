//go:build unix

package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// scripted gives a sweep of six jobs a shell script in place of gfncp; $n is the job's number. It returns what is
// narrated.
func scripted(t *testing.T, script string) (*Sweep, Workers, *strings.Builder) {
	t.Helper()
	s := tinySweep(t, "[grid]\nloss.beta = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]\n")
	w := Workers{Program: []string{"sh", "-c", `for n; do :; done; dir=` + s.Dir + "; " + script, "gfncp"}}
	var said strings.Builder
	s.Say = func(format string, args ...any) { fmt.Fprintf(&said, format+"\n", args...) }
	return s, w, &said
}

// No more than Jobs workers run at a time, each with its threads, in the plan's order; one that fails stops none of the
// others.
func TestLocalKeepsGoing(t *testing.T) {
	s, w, said := scripted(t,
		`mkdir $dir/here.$n; set -- $dir/here.*; echo $#; echo threads $GOMAXPROCS; sleep 0.05; rmdir $dir/here.$n; `+
			`exit $((n == 2))`)
	w.Jobs, w.Threads = 2, 3
	must.M(s.Run(t.Context(), w, s.Plan.Jobs))
	for _, j := range s.Plan.Jobs {
		log := string(must.M1(os.ReadFile(s.Log(j))))
		if lines := strings.Fields(log); len(lines) != 3 || lines[0] > "2" || lines[2] != "3" {
			t.Errorf("job %d logs %q", j.N, log)
		}
		if !strings.Contains(said.String(), fmt.Sprintf("job %d of 6 starts", j.N)) {
			t.Errorf("job %d is not started: %s", j.N, said)
		}
	}
	if !strings.Contains(said.String(), "job 2 is not done") ||
		strings.Count(said.String(), " is done") != 5 {
		t.Errorf("said %s", said)
	}
}

// Cancelling ctx tells every worker once, waits for each, and says so.
func TestLocalStops(t *testing.T) {
	s, w, said := scripted(t,
		`trap 'echo told; sleep 0.1; echo over; exit 75' TERM; touch $dir/ready.$n; while :; do sleep 0.01; done`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(must.M1(filepath.Glob(s.file("ready.*")))) < 3 {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	w.Jobs, w.Threads = 3, 1
	if err := s.Run(ctx, w, s.Plan.Jobs); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	for _, j := range s.Plan.Jobs[:3] {
		if log := string(must.M1(os.ReadFile(s.Log(j)))); log != "told\nover\n" {
			t.Errorf("job %d logs %q", j.N, log)
		}
	}
	if strings.Contains(said.String(), "job 4 of 6 starts") ||
		strings.Count(said.String(), "it was told to stop") != 3 {
		t.Errorf("said %s", said)
	}
}

// A program that cannot be started is an error of Run.
func TestLocalWithoutProgram(t *testing.T) {
	s := tinySweep(t, "[grid]\nloss.beta = [0.9]\n")
	w := Workers{Program: []string{filepath.Join(s.Dir, "none")}, Jobs: 1, Threads: 1}
	if err := s.Run(t.Context(), w, s.Plan.Jobs); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it ends with %v", err)
	}
}
