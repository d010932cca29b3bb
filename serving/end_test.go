package serving

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// A request that has been read is answered, although the input has ended.
func TestAnswersAtEnd(t *testing.T) {
	request := clusterLine(corners(6), 2, "mog-ncp", `{"samples":1}`) + "\n"
	for _, rest := range []string{"", `{"op":`, "nonsense\n"} {
		var out bytes.Buffer
		must.M(Serve(t.Context(), strings.NewReader(request+rest), &out, Options{Backend: "go"}))
		c := client{t: t, out: bufio.NewReader(&out)}
		if got := c.read(); !got.OK || len(got.labels(t)) != 6 {
			t.Errorf("before %q: %+v", rest, got)
		}
	}
}

// The server ends with its input, in the middle of a request, and with its context, in the middle of work.
func TestServeEnds(t *testing.T) {
	long := longRequest()
	for name, c := range map[string]struct {
		sent   string
		cancel bool
		want   error
	}{
		"nothing": {"", false, nil}, "half a line": {long[:len(long)/2], false, nil},
		"context": {long, true, context.Canceled},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s := start(t, ctx)
		must.M1(s.in.Write([]byte(c.sent)))
		time.Sleep(100 * time.Millisecond)
		if c.cancel {
			cancel()
		} else {
			must.M(s.in.Close())
		}
		select {
		case err := <-s.done:
			if !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it goes on", name)
		}
		cancel()
	}
}

// longRequest asks for work of an hour.
func longRequest() string {
	const n, d = 3000, 40
	noise := make([]float64, n*d)
	rng := data.Rand(1, "serving/noise", 0)
	for i := range noise {
		noise[i] = rng.Float64()
	}
	return clusterLine(noise, d, "", `{"time":3600}`) + "\n"
}

// A client that ends in the middle of its request ends the work.
func TestUnread(t *testing.T) {
	answers, out := must.M2(os.Pipe())
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), strings.NewReader(longRequest()), out, Options{Backend: "go"}) }()
	select {
	case err := <-done:
		t.Fatalf("it ends before its answer: %v", err)
	case <-time.After(time.Second):
	}
	must.M(answers.Close())
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
}
