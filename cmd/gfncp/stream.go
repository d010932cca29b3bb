package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/beside"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

const (
	// streamModel is the model that labels streams by default.
	streamModel = "mog-gfncp-online"
	longestLine = 1 << 20 // bytes; a longer one is a fault
)

// stream labels each line of standard input as soon as it is there.
func stream(c *cli.Context) (err error) {
	var like *root.Clustering
	path := c.String("like")
	if path != "" {
		if like, err = root.Read(path); err != nil {
			return err
		}
	}
	model, err := root.Open(c.String("model"), &root.Options{Backend: c.String("backend")})
	if err != nil {
		return err
	}
	defer model.Close()
	s, err := model.Stream(like)
	if err != nil {
		return usererr.In(path, err)
	}
	f := &feed{c: c, stream: s}
	return f.run(c.App.Reader)
}

// streamAnswer is the JSON of a line of `gfncp stream`.
type streamAnswer struct {
	Point         int       `json:"point"` // from 1, in the whole stream
	Label         int32     `json:"label"`
	K             int       `json:"k"`
	Probabilities []float64 `json:"probabilities"`
	LogProb       float64   `json:"log_prob"`
}

// feed takes the lines of a stream to their answers.
type feed struct {
	c      *cli.Context
	stream *root.Stream
	begun  bool // a line with cells has been read
	left   int  // lines without a point
}

// run answers lines until they end, or a signal comes, also in the wait for a line.
func (f *feed) run(in io.Reader) error {
	defer func() {
		if f.left > 0 {
			say(f.c, "gfncp: %s left out", text.Count(f.left, "line was", "lines were"))
		}
	}()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for number := 1; ; number++ {
		more, end := beside.Do(f.c.Context, func() (bool, error) { return lines.Scan(), lines.Err() })
		switch {
		case f.c.Context.Err() != nil:
			return fmt.Errorf("%w after point %d", errInterrupted, f.stream.Points())
		case errors.Is(end, bufio.ErrTooLong):
			return usererr.File("-", number, "give each point a line of its own", "the line is longer than %d bytes",
				longestLine)
		case end != nil:
			return fmt.Errorf("read the points: %w", end)
		case !more:
			return nil
		}
		if err := f.take(number, lines.Text()); err != nil {
			return err
		}
	}
}

// take answers one line. A line at fault is told and left out, or with --strict an error.
func (f *feed) take(number int, line string) error {
	x, err := f.point(line)
	if err == nil && x == nil {
		return nil
	}
	if err == nil {
		var d root.Decision
		if d, err = f.stream.Next(x); err == nil {
			return f.write(d)
		}
	}
	if !usererr.Is(err) && !errors.Is(err, root.ErrNotFinite) {
		return err
	}
	fault := new(root.Error)
	if !errors.As(err, &fault) {
		fault = usererr.New("bring the stream to the model's scale with --like",
			"the point lies too far out for the model")
	}
	placed := &root.Error{Path: "-", Line: number, Msg: fault.Msg, Hint: fault.Hint, Err: err}
	if f.c.Bool("strict") {
		return placed
	}
	f.left++
	printWarnings(f.c, []string{placed.Error() + " (left out)"})
	return nil
}

// point returns the point of a line: numbers between commas, semicolons, tabs or blanks. An empty line holds no point,
// and neither does a header: a first line without a number.
func (f *feed) point(line string) (x []float64, err error) {
	cells := cellsOf(strings.TrimPrefix(line, "\ufeff"))
	var fault error
	for _, cell := range cells {
		v, err := strconv.ParseFloat(strings.Trim(cell, `"`), 64)
		if err == nil && !strings.Contains(cell, "_") {
			x = append(x, v)
		} else if fault == nil {
			fault = usererr.New("mend or leave out this point", "%q is not a number", text.Shorten(cell, 41))
		}
	}
	header := !f.begun && len(x) == 0
	f.begun = f.begun || len(cells) > 0
	if fault == nil || header {
		return x, nil
	}
	return nil, fault
}

// cellsOf parts a line at its commas, semicolons or tabs, or else at blanks.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	if !separators.MatchString(line) {
		return strings.Fields(line)
	}
	return separators.Split(line, -1)
}

var separators = regexp.MustCompile(`\s*[,;\t]\s*`)

// write writes the answer to a point at once: JSON, or a line for people.
func (f *feed) write(d root.Decision) error {
	if d.Warning != "" {
		printWarnings(f.c, []string{d.Warning + " (--like)"})
	}
	if f.c.Bool("json") {
		return json.NewEncoder(f.c.App.Writer).Encode(streamAnswer{
			Point: f.stream.Points(), Label: d.Label, K: f.stream.Clusters(), Probabilities: d.Probs,
			LogProb: d.LogProb,
		})
	}
	last := len(d.Probs) - 1
	fresh := fmt.Sprintf(", a new one with %.2f", d.Probs[last])
	if int(d.Label) == last {
		fresh = " (new)"
	}
	_, err := fmt.Fprintf(f.c.App.Writer, "point %d: cluster %d with %.2f%s\n", f.stream.Points(), d.Label,
		d.Probs[d.Label], fresh)
	return err
}
