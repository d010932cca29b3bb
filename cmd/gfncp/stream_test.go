package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/short"
)

// streamPoints are n points of a training set of the online model, a line each.
func streamPoints(n int) (lines []string) {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.Stream = 1, n, n, "test"
	batch := must.M1(must.M1(data.NewMoG(c)).Batch(3, 0))
	for i := range n {
		lines = append(lines, fmt.Sprintf("%g,%g\n", batch.X[2*i], batch.X[2*i+1]))
	}
	return lines
}

// streaming is a process of `gfncp stream --json`.
type streaming struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr bytes.Buffer
}

func startStream(flags ...string) *streaming {
	s := &streaming{Cmd: process(append([]string{"stream", "--json", "--backend", "go"}, flags...)...)}
	s.Stderr = &s.stderr
	s.in = must.M1(s.StdinPipe())
	s.out = bufio.NewScanner(must.M1(s.StdoutPipe()))
	s.out.Buffer(nil, 1<<20)
	must.M(s.Start())
	return s
}

// next reads an answer; false if there are no more.
func (s *streaming) next() (a streamAnswer, more bool) {
	if !s.out.Scan() || json.Unmarshal(s.out.Bytes(), &a) != nil { // the last line of a killed process may be cut short
		return a, false
	}
	return a, true
}

func (s *streaming) status() int {
	_ = s.Wait()
	return s.ProcessState.ExitCode()
}

// all answers of an input.
func streamed(t *testing.T, input string, flags ...string) (answers []streamAnswer, stderr string, status int) {
	t.Helper()
	s := startStream(flags...)
	go func() {
		_, _ = io.WriteString(s.in, input) // --strict ends before all is read
		_ = s.in.Close()
	}()
	for a, more := s.next(); more; a, more = s.next() {
		answers = append(answers, a)
	}
	status = s.status()
	return answers, s.stderr.String(), status
}

// Each point is answered before the next one comes; lines at fault are told and left out.
func TestStream(t *testing.T) {
	t.Parallel()
	lines := streamPoints(12)
	s := startStream()
	must.M1(io.WriteString(s.in, "x,y\n"))
	var got []streamAnswer
	for i, line := range lines {
		must.M1(io.WriteString(s.in, line))
		a, more := s.next()
		if !more || a.Point != i+1 {
			t.Fatalf("point %d: %+v, %s", i+1, a, s.stderr.String())
		}
		sum := floats.Sum(a.Probabilities)
		if !(math.Abs(sum-1) < 1e-9) || int(a.Label) >= a.K ||
			len(a.Probabilities) != a.K && len(a.Probabilities) != a.K+1 {
			t.Errorf("%+v: the probabilities sum to %g", a, sum)
		}
		got = append(got, a)
	}
	must.M(s.in.Close())
	if status := s.status(); status != exitDone || s.stderr.String() != "" {
		t.Errorf("status %d, %s", status, s.stderr.String())
	}
	marks := strings.NewReplacer(",", " ;\t")
	bad := marks.Replace(strings.Join(lines[:3], "")) + "\n1,x\n[1]\n" + strings.Join(lines[3:], "") + "9"
	again, stderr, status := streamed(t, bad)
	if !reflect.DeepEqual(again, got) || status != exitDone {
		t.Errorf("with bad lines: status %d, %+v, want %+v", status, again, got)
	}
	contains(t, stderr, `-:5: "x" is not a number`, `-:6: "[1]" is not`, "-:16: the point has 1 coord",
		"3 lines were left out")
	again, stderr, status = streamed(t, bad, "--strict")
	if !reflect.DeepEqual(again, got[:3]) || status != exitUsage || strings.Count(stderr, "\n") != 1 ||
		!strings.HasPrefix(stderr, "gfncp: -:5: ") {
		t.Errorf("--strict: status %d, %d answers, %s", status, len(again), stderr)
	}
}

// The first Ctrl-C ends a stream that waits for points. Wrong options are told before the first point.
func TestStreamInterrupted(t *testing.T) {
	short.Skip(t, "starts processes")
	t.Parallel()
	lines := streamPoints(3)
	s := startStream()
	for i, line := range lines {
		must.M1(io.WriteString(s.in, line))
		if a, _ := s.next(); a.Point != i+1 {
			t.Fatalf("%+v, %s", a, s.stderr.String())
		}
	}
	must.M(s.Process.Signal(syscall.SIGINT))
	if status := s.status(); status != exitInterrupted || s.stderr.String() != "gfncp: interrupted after point 3\n" {
		t.Errorf("status %d, %s", status, s.stderr.String())
	}
	table := filepath.Join(t.TempDir(), "table.json")
	done(t, clusters(example("labelled.csv"), "--labels", "label", "--save", table)...)
	for want, flags := range map[string][]string{
		"cannot label a stream":               {"--model", "mog-gfncp"},
		"no clustering of points with one sc": {"--like", table},
		"no such file":                        {"--like", table + "x"},
	} {
		got, stderr, status := streamed(t, "8,8\n7,7\n6,6\n5,5\n4,4\n3,3\n2,2\n", flags...)
		if status != exitUsage || len(got) > 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %d answers, %s, want %s", flags, status, len(got), stderr, want)
		}
	}
}
