package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
)

const (
	longestLine    = 1 << 20               // bytes; a longer one is a fault
	readAhead      = 256                   // lines
	smallestListed = 1e-9                  // probability of a K
	groupTime      = 50 * time.Millisecond // that points whose answers are written together may take
)

// streamAnswer is the JSON of a line of `gfncp stream`.
type streamAnswer struct {
	Point         int               `json:"point"` // from 1, in the whole stream
	Label         int32             `json:"label"`
	K             int               `json:"k"`
	Probabilities []float64         `json:"probabilities"`
	KPosterior    []posterior.KProb `json:"k_posterior"`
	LogProb       float64           `json:"log_prob"`
}

// streamNote is what the command keeps beside the stream in the file of --state.
type streamNote struct {
	Columns []string  `json:"columns,omitempty"`
	Header  []string  `json:"header,omitempty"`
	Origin  []float64 `json:"origin,omitempty"`
	Digest  string    `json:"digest"` // of the points
	// Answers are those that are written next: after a crash nobody knows whether they were.
	Answers []streamAnswer `json:"answers,omitempty"`
}

// feed takes the points of a stream to their answers.
//
// Lines that are there at the same time are a group. The state is written after each group and before its answers, so
// a point whose answer anybody has seen is never taken twice.
type feed struct {
	c      *cli.Context
	model  *root.Model
	stream *root.Stream
	points files.PointLines
	path   string // of the state; "" for none
	note   streamNote
	skip   int    // points still to be passed over, which the state has
	digest string // of the points that were passed over
	left   int    // lines without a point
	warned bool
}

// inputLine is a line of the input, or the error that ends it.
type inputLine struct {
	number int
	text   string
	err    error
}

// lines reads lines beside the feed, so that a signal ends a wait for them.
func (f *feed) lines(r io.Reader) <-chan inputLine {
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

// run answers lines until they end, or a signal comes. Whatever ends it, the answers so far are written and the state
// is kept.
func (f *feed) run(lines <-chan inputLine) error {
	for {
		select {
		case <-f.c.Context.Done():
			return errors.Join(f.finish(), f.interrupted())
		case line, more := <-lines:
			if !more && f.skip > 0 {
				return f.otherPoints()
			}
			if !more {
				return f.finish()
			}
			answers, fault := f.group(line, lines)
			if err := f.commit(answers); err != nil {
				return err
			}
			if fault != nil {
				return errors.Join(f.finish(), fault)
			}
		}
	}
}

// group answers a line and those that are there already, for a moment.
func (f *feed) group(line inputLine, lines <-chan inputLine) (answers []streamAnswer, fault error) {
	begun := time.Now()
	for {
		answer, err := f.answer(line)
		if err != nil {
			return answers, err
		}
		if answer != nil {
			answers = append(answers, *answer)
		}
		if time.Since(begun) > groupTime {
			return answers, nil
		}
		select {
		case next, more := <-lines:
			if !more {
				return answers, nil // run sees it, too
			}
			line = next
		default:
			return answers, nil
		}
	}
}

// answer takes one line. A line at fault is told and left out, or with --strict an error.
func (f *feed) answer(line inputLine) (*streamAnswer, error) {
	if line.err != nil {
		return nil, line.err
	}
	answer, err := f.decide(line.text)
	if err == nil || errors.Is(err, errReplay) || !isFault(err) {
		return answer, err
	}
	fault := new(usererr.Error)
	if !errors.As(err, &fault) {
		fault = usererr.New("bring the stream to the model's scale with --like, or --center and --scale",
			"the point lies too far out for the model")
	}
	placed := &usererr.Error{Path: "-", Line: line.number, Msg: fault.Msg, Hint: fault.Hint, Err: err}
	if f.c.Bool("strict") {
		return nil, placed
	}
	f.left++
	printWarnings(f.c, []string{placed.Error() + " (left out)"})
	return nil, nil
}

// decide makes an answer of a line, or nil if it holds no point or one that the state has.
func (f *feed) decide(line string) (*streamAnswer, error) {
	if len(line) > longestLine {
		return nil, usererr.New("give each point a line of its own", "the line is longer than %d bytes", longestLine)
	}
	x, err := f.points.Point(line)
	f.note.Header = f.points.Header
	if err != nil || x == nil {
		return nil, err
	}
	point := f.prepare(x)
	if f.skip > 0 {
		f.skip--
		f.digest = nextDigest(f.digest, point)
		if f.skip == 0 && f.digest != f.note.Digest {
			return nil, f.otherPoints()
		}
		return nil, nil
	}
	d, err := f.stream.Next(point)
	if err != nil {
		return nil, err
	}
	f.note.Digest = nextDigest(f.note.Digest, point)
	f.checkReach(point)
	a := &streamAnswer{
		Point: f.stream.Points(), Label: d.Label, K: f.stream.Clusters(), Probabilities: d.Probs,
		LogProb: d.LogProb,
	}
	for _, k := range d.KPosterior {
		if k.P >= smallestListed {
			a.KPosterior = append(a.KPosterior, k)
		}
	}
	return a, nil
}

// nextDigest is the digest of a stream with one more point: the SHA-256 of the one before and the point.
func nextDigest(digest string, x []float32) string {
	h := sha256.New()
	h.Write([]byte(digest))
	_ = binary.Write(h, binary.LittleEndian, x) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

// errReplay marks an input that does not begin with the points of the state.
var errReplay = errors.New("not the same points")

func (f *feed) otherPoints() error {
	return &usererr.Error{
		Path: f.path, Msg: "the input does not begin with the stream's " + text.Count(f.stream.Points(), "point"),
		Hint: "feed the points after those, without --replay, or begin a new stream in another file", Err: errReplay,
	}
}

// commit keeps the state, and then writes the answers.
func (f *feed) commit(answers []streamAnswer) error {
	if len(answers) == 0 {
		return nil
	}
	f.note.Answers = answers
	if f.path != "" {
		if err := f.stream.Save(f.path, f.note); err != nil {
			return err
		}
	}
	return f.write(answers)
}

// finish keeps the state with nothing left to write.
func (f *feed) finish() error {
	if f.left > 0 {
		say(f.c, "gfncp: %s left out", text.Count(f.left, "line was", "lines were"))
	}
	if f.path == "" || f.note.Answers == nil {
		return nil
	}
	f.note.Answers = nil
	return f.stream.Save(f.path, f.note)
}

func (f *feed) interrupted() error {
	err := fmt.Errorf("%w after point %d", errInterrupted, f.stream.Points())
	if f.path != "" {
		err = fmt.Errorf("%w; %s keeps the stream", err, f.path)
	}
	return err
}

// write writes answers at once.
func (f *feed) write(answers []streamAnswer) error {
	var b bytes.Buffer
	for _, a := range answers {
		if !f.c.Bool("json") {
			b.WriteString(a.String())
			continue
		}
		if err := json.NewEncoder(&b).Encode(a); err != nil {
			return err
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := f.c.App.Writer.Write(b.Bytes())
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
