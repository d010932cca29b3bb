package board

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Limits of what is read of a log at a time, and kept of its past.
const (
	mostRead  = 4 << 20
	mostSteps = 4000 // lines of steps of one reading; of more every m-th
	tail      = 8192 // bytes at the end of a log that hold its last line
)

// line is one of a run's log: numbers by name. A validation has no "kind".
type line map[string]any

// follower reads a log as it grows.
type follower struct {
	path   string
	info   os.FileInfo // of the file that was read
	offset int64       // behind the last whole line
	row    int
}

// news is what a log has brought. A fault does not end the following.
type news struct {
	Reset bool   `json:"reset,omitempty"` // what was told before does not hold: another log is there
	Steps []line `json:"steps,omitempty"`
	Valid []line `json:"valid,omitempty"`
	Fault string `json:"fault,omitempty"`
	more  bool   // there is more to read at once
}

func newFollower(dir string) *follower { return &follower{path: filepath.Join(dir, "metrics.jsonl")} }

// next reads what has come since, up to the last line that is whole.
func (f *follower) next() (n news) {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		if f.info != nil {
			n.Fault = "the log has disappeared; it is looked for again"
		}
		return n
	}
	if err != nil {
		return news{Fault: err.Error()}
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return news{Fault: err.Error()}
	}
	if f.info != nil && (!os.SameFile(f.info, info) || info.Size() < f.offset) { // a resumed run cuts its log
		f.offset, f.row, n.Reset = 0, 0, true
	}
	f.info = info
	chunk := make([]byte, min(info.Size()-f.offset, mostRead))
	got, err := file.ReadAt(chunk, f.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		n.Fault = err.Error()
		return n
	}
	whole := bytes.LastIndexByte(chunk[:got], '\n') + 1
	if whole == 0 && got == mostRead {
		n.Fault = fmt.Sprintf("%s holds a line above %d bytes, which is none of a run's log", f.path, mostRead)
		return n
	}
	f.offset += int64(whole)
	n.more = got == mostRead
	f.parse(chunk[:whole], &n)
	n.Steps = thinned(n.Steps)
	return n
}

// parse takes whole lines apart. One that is none of a log is told and passed over.
func (f *follower) parse(text []byte, n *news) {
	for raw := range bytes.Lines(text) {
		f.row++
		var l line
		err := json.Unmarshal(raw, &l)
		step, ok := l["step"].(float64)
		if err != nil || !ok || step < 0 {
			n.Fault = fmt.Sprintf("%s:%d: is no line of a run's log; it is passed over", f.path, f.row)
			continue
		}
		for name, v := range l {
			if x, ok := v.(float64); ok && math.Abs(x) >= math.MaxFloat64 {
				l[name] = nil // a loss that diverged
			}
		}
		if _, ok := l["kind"]; ok {
			n.Steps = append(n.Steps, l)
		} else {
			n.Valid = append(n.Valid, l)
		}
	}
}

// thinned keeps the last of every so many lines.
func thinned(lines []line) []line {
	every := (len(lines) + mostSteps - 1) / mostSteps
	if every < 2 {
		return lines
	}
	var kept []line
	for i := every - 1; i < len(lines); i += every {
		kept = append(kept, lines[i])
	}
	return kept
}

// lastLine is what the list of runs shows of a log.
type lastLine struct {
	Step    int     `json:"step"`
	Kind    string  `json:"kind"`
	Loss    float64 `json:"loss"`
	Seconds float64 `json:"seconds"`
}

// lastStep reads the last whole line of a step.
func lastStep(path string, size int64) (last lastLine, ok bool) {
	file, err := os.Open(path)
	if err != nil {
		return last, false
	}
	defer func() { _ = file.Close() }()
	chunk := make([]byte, min(size, tail))
	got, _ := file.ReadAt(chunk, size-int64(len(chunk)))
	lines := bytes.Split(chunk[:got], []byte("\n"))
	for i := len(lines) - 2; i >= 0; i-- { // behind the last line end is a half line, or nothing
		var l lastLine
		if json.Unmarshal(lines[i], &l) == nil && l.Kind != "" {
			if math.Abs(l.Loss) >= math.MaxFloat64 {
				l.Loss = 0
			}
			return l, true
		}
	}
	return last, false
}
