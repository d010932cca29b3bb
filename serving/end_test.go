package serving

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
)

// A request that has been read is answered, although the input has ended.
func TestAnswersAtEnd(t *testing.T) {
	request := framed(1, clusterLine(60, 2, "", `{"samples":5}`), packed(corners(60)))
	for _, rest := range []string{"", "2 20 0\n{", "nonsense\n"} {
		var out bytes.Buffer
		err := Serve(t.Context(), strings.NewReader(string(request)+rest), &out, Options{Backend: "go"})
		if err != nil && rest != "nonsense\n" {
			t.Error(err)
		}
		c := client{t: t, out: bufio.NewReader(&out)}
		if got := c.read(); !got.OK || got.id != 1 || len(got.labels(t)) != 60 {
			t.Errorf("before %q: %+v", rest, got)
		}
	}
}

// The server ends with its input, in the middle of a request, and with its context, in the middle of work.
func TestServeEnds(t *testing.T) {
	long := longRequest()
	for name, c := range map[string]struct {
		sent   []byte
		cancel bool
		want   error
	}{
		"nothing": {nil, false, nil}, "half a line": {[]byte("1 2"), false, nil},
		"half a head":    {[]byte("1 20 0\n{"), false, nil},
		"half the bytes": {long[:len(long)-8], false, nil},
		"context":        {long, true, context.Canceled},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s := start(t, ctx)
		must.M1(s.in.Write(c.sent))
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
func longRequest() []byte {
	const n, d = 3000, 40
	noise := make([]float64, n*d)
	rng := data.Rand(1, "serving/noise", 0)
	for i := range noise {
		noise[i] = rng.Float64()
	}
	return framed(1, clusterLine(n, d, "", `{"time":3600}`), packed(noise))
}
