package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
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
	stderr lockedBuffer
}

// lockedBuffer can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// resumed waits until the process has said after which point it goes on, and returns that.
func (s *streaming) resumed() (point int) {
	for range 1000 {
		if _, text, said := strings.Cut(s.stderr.String(), " goes on after point "); said {
			must.M1(fmt.Sscan(text, &point))
			return point
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}

func startStream(flags ...string) *streaming {
	args := append([]string{"-test.run=TestMainProcess", "--", "stream", "--json", "--backend", "go"}, flags...)
	s := &streaming{Cmd: exec.Command(must.M1(os.Executable()), args...)}
	s.Env = append(os.Environ(), "GFNCP_TEST_MAIN=1")
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
		var sum, law float64
		for _, p := range a.Probabilities {
			sum += p
		}
		for _, k := range a.KPosterior {
			law += k.P
		}
		if !(math.Abs(sum-1) < 1e-9) || !(math.Abs(law-1) < 1e-6) || int(a.Label) >= a.K ||
			len(a.Probabilities) != a.K && len(a.Probabilities) != a.K+1 {
			t.Errorf("%+v: the probabilities sum to %g, P(K) to %g", a, sum, law)
		}
		got = append(got, a)
	}
	must.M(s.in.Close())
	if status := s.status(); status != exitDone || s.stderr.String() != "" {
		t.Errorf("status %d, %s", status, s.stderr.String())
	}
	bad := strings.Join(lines[:3], "") + "\n1,x\n[1]\n" + strings.Join(lines[3:], "") + "9"
	again, stderr, status := streamed(t, bad)
	if !reflect.DeepEqual(again, got) || status != exitDone {
		t.Errorf("with bad lines: status %d, %+v, want %+v", status, again, got)
	}
	for _, want := range []string{
		`-:5: "x" is not a number`, "-:6: 1 number, but", "-:16: 1 cell", "3 lines were left out",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr lacks %q: %s", want, stderr)
		}
	}
	again, stderr, status = streamed(t, bad, "--strict")
	if !reflect.DeepEqual(again, got[:3]) || status != exitUsage || strings.Count(stderr, "\n") != 1 ||
		!strings.HasPrefix(stderr, "gfncp: -:5: ") {
		t.Errorf("--strict: status %d, %d answers, %s", status, len(again), stderr)
	}
}

// A stream that is killed again and again, at any moment, gives the answers of one that is not: whoever feeds the point
// after the last answer, or all points again, gets each at least once, and always the same.
func TestStreamKilled(t *testing.T) {
	t.Parallel()
	lines := streamPoints(40)
	want, _, _ := streamed(t, strings.Join(lines, ""))
	rng := rand.New(rand.NewPCG(1, 2))
	for _, replay := range []bool{false, true} {
		path, got, rounds := filepath.Join(t.TempDir(), "s.stream"), map[int]streamAnswer{}, 0
		for last := 0; last < len(lines); rounds++ {
			flags, from := []string{"--state", path}, last
			if replay && exists(path) {
				flags, from = append(flags, "--replay"), 0
			}
			s := startStream(flags...)
			for more := !replay && exists(path); more && from < s.resumed(); { // the state is ahead of what was read
				var a streamAnswer
				if a, more = s.next(); more {
					from = max(from, a.Point)
					taken(t, got, want, a)
				}
			}
			enough := len(got) + 1 + rng.IntN(15)
			fed := min(enough+5, len(lines)) // it reads on while it is killed
			go func() {
				for _, line := range lines[from:max(from, fed)] {
					_, _ = io.WriteString(s.in, line) // to a killed process
				}
				if fed == len(lines) {
					_ = s.in.Close()
				}
			}()
			for a, more := s.next(); more; a, more = s.next() {
				if taken(t, got, want, a); len(got) == enough {
					_ = s.Process.Kill()
				}
			}
			_ = s.Wait()
			last = len(got)
		}
		t.Logf("replay %v: %d rounds", replay, rounds)
		if len(got) != len(want) || rounds < 2 {
			t.Errorf("replay %v: %d of %d answers in %d rounds", replay, len(got), len(want), rounds)
		}
	}
}

// taken takes an answer, which must be the next one or one that was given before.
func taken(t *testing.T, got map[int]streamAnswer, want []streamAnswer, a streamAnswer) {
	t.Helper()
	if a.Point < 1 || a.Point > len(want) || !reflect.DeepEqual(a, want[a.Point-1]) || a.Point > len(got)+1 {
		t.Fatalf("after %d points: %+v", len(got), a)
	}
	got[a.Point] = a
}

// The first Ctrl-C ends a stream that waits for points; its state goes on.
func TestStreamInterrupted(t *testing.T) {
	t.Parallel()
	lines, path := streamPoints(6), filepath.Join(t.TempDir(), "s.stream")
	want, _, _ := streamed(t, strings.Join(lines, ""))
	s := startStream("--state", path)
	for i := range 3 {
		must.M1(io.WriteString(s.in, lines[i]))
		if a, _ := s.next(); !reflect.DeepEqual(a, want[i]) {
			t.Fatalf("%+v, %s", a, s.stderr.String())
		}
	}
	_, stderr, status := streamed(t, lines[3], "--state", path)
	if status != exitUsage || !strings.Contains(stderr, "another process is at this stream") {
		t.Errorf("a second process: %d, %s", status, stderr)
	}
	must.M(s.Process.Signal(syscall.SIGINT))
	if status := s.status(); status != exitInterrupted ||
		s.stderr.String() != "gfncp: interrupted after point 3; "+path+" keeps the stream\n" {
		t.Errorf("status %d, %s", status, s.stderr.String())
	}
	got, stderr, status := streamed(t, strings.Join(lines[3:], ""), "--state", path)
	if !reflect.DeepEqual(got, want[3:]) || status != exitDone || !strings.Contains(stderr, "goes on after point 3") {
		t.Errorf("status %d, %+v, %s", status, got, stderr)
	}
	for want, flags := range map[string][]string{
		"another --samples":                        {"--state", path, "--samples", "7"},
		"another --scale":                          {"--state", path, "--scale", "7"},
		"does not begin with the stream's 6":       {"--state", path, "--replay"},
		"whose weights are not those":              {"--state", path, "--model", "mnist-gfncp-online"},
		"is not there":                             {"--state", path + "x", "--replay"},
		"name the file of the stream with --state": {"--replay"},
		"cannot label a stream":                    {"--model", "mog-gfncp"},
		"--like says how":                          {"--like", path, "--scale", "2"},
		"is no saved clustering":                   {"--like", path},
		`--center: "a" is not a number`:            {"--center", "1,a"},
		"--center has 1 coord":                     {"--center", "1"},
		"--samples is 20000":                       {"--samples", "20000"},
		`--scale "-1" is unknown`:                  {"--scale", "-1"},
	} {
		got, stderr, status := streamed(t, "8,8\n7,7\n6,6\n5,5\n4,4\n3,3\n2,2\n", flags...)
		if status != exitUsage || len(got) > 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %d answers, %s, want %s", flags, status, len(got), stderr, want)
		}
	}
}
