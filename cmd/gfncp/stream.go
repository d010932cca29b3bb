package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

const (
	// streamModel is the model that labels streams by default.
	streamModel    = "mog-gfncp-online"
	streamSamples  = 200
	longestLine    = 1 << 20 // bytes; a longer one is a fault
	readAhead      = 256     // lines
	smallestListed = 1e-9    // probability of a K
)

func streamFlags() []cli.Flag {
	return []cli.Flag{
		modelFlag(streamModel), backendFlag(), stringFlag("columns"), stringFlag("like"),
		&cli.IntFlag{Name: "samples", Value: streamSamples},
		&cli.Uint64Flag{Name: "seed", Value: root.DefaultOptions().Seed},
		boolFlag("strict"), boolFlag("json"), boolFlag("quiet"),
	}
}

// stream labels each line of standard input as soon as it is there.
func stream(c *cli.Context) error {
	options, err := optionsOf(c)
	if err != nil {
		return err
	}
	var like *root.Clustering
	if path := c.String("like"); path != "" {
		if like, err = root.Read(path); err != nil {
			return err
		}
	}
	model, err := root.Open(options.Model, options)
	if err != nil {
		return err
	}
	defer model.Close()
	s, err := model.Stream(like, options)
	if fault := new(root.Error); like != nil && errors.As(err, &fault) && fault.Option == "" {
		named := *fault
		named.Path = c.String("like")
		return &named
	}
	if err != nil {
		return explained(err)
	}
	f := &feed{c: c, stream: s, points: pointLines{dim: model.Dim(), columns: split(c, "columns")}}
	return f.run(readLines(c.App.Reader))
}

// streamAnswer is the JSON of a line of `gfncp stream`.
type streamAnswer struct {
	Point         int               `json:"point"` // from 1, in the whole stream
	Label         int32             `json:"label"`
	K             int               `json:"k"`
	Probabilities []float64         `json:"probabilities"`
	KPosterior    []posterior.KProb `json:"k_posterior"`
	LogProb       float64           `json:"log_prob"`
}

// feed takes the lines of a stream to their answers.
type feed struct {
	c      *cli.Context
	stream *root.Stream
	points pointLines
	left   int // lines without a point
}

// inputLine is a line of the input, or the error that ends it.
type inputLine struct {
	number int
	text   string
	err    error
}

// readLines reads lines beside the feed, so that a signal ends a wait for them.
func readLines(r io.Reader) <-chan inputLine {
	out := make(chan inputLine, readAhead)
	go func() {
		defer close(out)
		in := bufio.NewReader(r)
		for number := 1; ; number++ {
			line, err := readLine(in)
			if err == nil || line != "" {
				out <- inputLine{number: number, text: line}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				out <- inputLine{number: number, err: fmt.Errorf("read the points: %w", err)}
				return
			}
		}
	}()
	return out
}

// readLine reads a line, of which it keeps one byte more than is allowed.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), longestLine+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// run answers lines until they end, or a signal comes.
func (f *feed) run(lines <-chan inputLine) error {
	defer func() {
		if f.left > 0 {
			say(f.c, "gfncp: %s left out", text.Count(f.left, "line was", "lines were"))
		}
	}()
	for {
		select {
		case <-f.c.Context.Done():
			return fmt.Errorf("%w after point %d", errInterrupted, f.stream.Points())
		case line, more := <-lines:
			if !more {
				return nil
			}
			if err := f.answer(line); err != nil {
				return err
			}
		}
	}
}

// answer takes one line. A line at fault is told and left out, or with --strict an error.
func (f *feed) answer(line inputLine) error {
	if line.err != nil {
		return line.err
	}
	answer, err := f.decide(line.text)
	switch {
	case err == nil && answer == nil:
		return nil
	case err == nil:
		return f.write(answer)
	case !usererr.Is(err) && !errors.Is(err, root.ErrNotFinite):
		return err
	}
	fault := new(root.Error)
	if !errors.As(err, &fault) {
		fault = usererr.New("bring the stream to the model's scale with --like",
			"the point lies too far out for the model")
	}
	placed := &root.Error{Path: "-", Line: line.number, Msg: fault.Msg, Hint: fault.Hint, Err: err}
	if f.c.Bool("strict") {
		return placed
	}
	f.left++
	printWarnings(f.c, []string{placed.Error() + " (left out)"})
	return nil
}

// decide makes an answer of a line, or nil if it holds no point.
func (f *feed) decide(line string) (*streamAnswer, error) {
	if len(line) > longestLine {
		return nil, usererr.New("give each point a line of its own", "the line is longer than %d bytes", longestLine)
	}
	x, err := f.points.point(line)
	if err != nil || x == nil {
		return nil, err
	}
	d, err := f.stream.Next(x)
	if err != nil {
		return nil, err
	}
	if d.Warning != "" {
		printWarnings(f.c, []string{d.Warning})
	}
	a := &streamAnswer{
		Point: f.stream.Points(), Label: d.Label, K: f.stream.Clusters(), Probabilities: d.Probs, LogProb: d.LogProb,
	}
	for _, k := range d.KPosterior {
		if k.P >= smallestListed {
			a.KPosterior = append(a.KPosterior, k)
		}
	}
	return a, nil
}

// write writes an answer at once.
func (f *feed) write(a *streamAnswer) error {
	if f.c.Bool("json") {
		return json.NewEncoder(f.c.App.Writer).Encode(a)
	}
	_, err := io.WriteString(f.c.App.Writer, a.String())
	return err
}

// String is the answer as a line for people.
func (a streamAnswer) String() string {
	last := len(a.Probabilities) - 1
	line := fmt.Sprintf("point %d: cluster %d with %.2f", a.Point, a.Label, a.Probabilities[a.Label])
	if int(a.Label) == last {
		line += " (new)"
	} else {
		line += fmt.Sprintf(", a new one with %.2f", a.Probabilities[last])
	}
	var law []string
	for _, k := range a.KPosterior {
		if k.P >= shownProbability {
			law = append(law, fmt.Sprintf("%d: %.2f", k.K, k.P))
		}
	}
	return line + "; P(K) " + strings.Join(law, ", ") + "\n"
}
