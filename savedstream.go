package gfncp

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// A stream's file is a safetensors file: the sums of sampling.Snapshot and posterior.FilterState as tensors, and the
// JSON of savedStream and a checksum in the metadata.
const (
	metaStream    = "gfncp.stream"
	streamVersion = 1
	beginAnew     = "remove it to begin a new stream"
)

// savedStream is the part of a stream's file that is no tensor.
type savedStream struct {
	Version int             `json:"version"`
	Model   string          `json:"model"`          // the name that it was opened by
	Weights string          `json:"weights_sha256"` // of the model
	Points  int             `json:"points"`
	LogProb float64         `json:"log_prob"`
	Options StreamOptions   `json:"options"`
	Note    json.RawMessage `json:"note"` // the caller's
}

// Save writes all that the stream knows as one file, whole or not at all, with a checksum, and beside it the JSON of a
// note of the caller's. Faults of the path are *Error. The file holds no points: its size grows with the clusters.
func (s *Stream) Save(path string, note any) error {
	text, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	sums := streamSums{Snapshot: s.stepper.Snapshot()}
	if s.filter != nil {
		sums.filter = s.filter.State()
	}
	head, err := json.Marshal(savedStream{
		streamVersion, s.model.name, s.model.Weights(), sums.Points, sums.LogProb, s.options, text,
	})
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	file := &safetensors.File{Metadata: map[string]string{metaStream: string(head)}}
	for name, part := range sums.parts() {
		values, err := part.write()
		if err != nil {
			return fmt.Errorf("save %s: %w", path, err)
		}
		file.Tensors = append(file.Tensors, safetensors.Tensor{
			Name: name, DType: part.dtype, Shape: []int{len(values) / part.size}, Data: values,
		})
	}
	if file.Metadata[safetensors.MetaSum], err = safetensors.Checksum(file); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return safetensors.Encode(w, file) })
}

// streamSums is what a stream keeps of its points.
type streamSums struct {
	sampling.Snapshot
	filter posterior.FilterState
}

// part is a tensor of a stream: its type, the bytes of a value, and the ways to and from little-endian values.
type part struct {
	dtype string
	size  int
	write func() ([]byte, error)
	read  func(values []byte) error
}

func partOf[T int64 | float32 | float64](values *[]T, dtype string, size int) part {
	return part{
		dtype, size, func() ([]byte, error) { return binary.Append(nil, binary.LittleEndian, *values) },
		func(from []byte) error {
			*values = make([]T, len(from)/size)
			_, err := binary.Decode(from, binary.LittleEndian, *values)
			return err
		},
	}
}

// parts names the slices.
func (s *streamSums) parts() map[string]part {
	return map[string]part{
		"total": partOf(&s.Total, "F64", 8), "sums": partOf(&s.Sums, "F64", 8), "gammas": partOf(&s.Gammas, "F32", 4),
		"filter.clusters": partOf(&s.filter.Clusters, "I64", 8), "filter.weights": partOf(&s.filter.Weights, "F64", 8),
		"filter.sizes": partOf(&s.filter.Sizes, "F64", 8), "filter.sums": partOf(&s.filter.Sums, "F64", 8),
	}
}

// ResumeStream goes on with a stream that Save has kept, and reads the note beside it into note, a pointer. A file that
// is missing, damaged, foreign, of a newer version or of another model is an *Error; a missing one is fs.ErrNotExist.
func (m *Model) ResumeStream(path string, note any) (*Stream, error) {
	file, err := safetensors.ReadFile(path)
	if fault := new(usererr.Error); errors.As(err, &fault) {
		named := *fault
		named.Hint = "copy it anew, or " + beginAnew
		return nil, &named
	}
	if err != nil {
		return nil, err
	}
	head, err := headOf(path, file)
	if err != nil {
		return nil, err
	}
	if head.Weights != m.Weights() {
		return nil, usererr.File(path, 0, "name that model with --model, or "+beginAnew,
			"is a stream of model %s, whose weights are not those of model %s", head.Model, m.name)
	}
	s, err := m.Stream(head.Options)
	if err != nil {
		return nil, err
	}
	sums := streamSums{
		sampling.Snapshot{Points: head.Points, LogProb: head.LogProb}, posterior.FilterState{Points: head.Points},
	}
	if err = sums.read(file); err == nil {
		err = s.stepper.Restore(sums.Snapshot)
	}
	if err == nil && s.filter != nil {
		err = s.filter.Restore(sums.filter)
	}
	if err == nil {
		err = json.Unmarshal(head.Note, note)
	}
	if err != nil {
		return nil, &usererr.Error{
			Path: path, Msg: "holds a stream that this program cannot read", Hint: beginAnew, Err: err,
		}
	}
	return s, nil
}

// headOf checks a stream's file as a whole and reads its head.
func headOf(path string, file *safetensors.File) (head savedStream, err error) {
	text, is := file.Metadata[metaStream]
	if !is {
		return head, usererr.File(path, 0, "choose another file", "is no stream of gfncp")
	}
	sum, err := safetensors.Checksum(file)
	if err != nil {
		return head, fmt.Errorf("read %s: %w", path, err)
	}
	if sum != file.Metadata[safetensors.MetaSum] || json.Unmarshal([]byte(text), &head) != nil {
		return head, usererr.File(path, 0, "copy it anew, or "+beginAnew, "is damaged: its checksum is wrong")
	}
	if head.Version != streamVersion {
		return head, usererr.File(path, 0, "use the program that wrote it, or "+beginAnew,
			"has version %d of the format, but this program reads %d", head.Version, streamVersion)
	}
	return head, nil
}

// read takes the tensors of a file.
func (s *streamSums) read(file *safetensors.File) error {
	for name, part := range s.parts() {
		t, there := file.Tensor(name)
		if !there || t.DType != part.dtype {
			return fmt.Errorf("tensor %s of type %s is missing", name, part.dtype)
		}
		if err := part.read(t.Data); err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
	}
	return nil
}
