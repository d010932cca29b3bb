package serving

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Protocol is the version of the protocol. It changes when a client of the one before would not be understood.
const Protocol = 2

// longestHead bounds the line of a request, in bytes; arrays come after it.
const longestHead = 1 << 20

// request is a line of JSON, and as many bytes after it as it says, which hold its arrays one after another.
type request struct {
	ID      json.RawMessage `json:"id"`
	Op      string          `json:"op"`
	Model   string          `json:"model"`
	Columns []string        `json:"columns"` // their names, or none
	Options json.RawMessage `json:"options"`
	Arrays  []arrayHead     `json:"arrays"`
	Bytes   int64           `json:"bytes"`
	payload []byte
	fault   error // what is wrong with the request as such
}

// answer is the same the other way.
type answer struct {
	ID     json.RawMessage `json:"id"`
	OK     bool            `json:"ok"`
	Error  *fault          `json:"error,omitempty"`
	Result any             `json:"result,omitempty"`
	Arrays []arrayHead     `json:"arrays,omitempty"`
	Bytes  int             `json:"bytes"`
	parts  [][]byte
}

// fault is an error in an answer.
type fault struct {
	Kind    string `json:"kind"` // "input" or "internal"
	Message string `json:"message"`
}

// arrayHead says what the bytes of an array are.
type arrayHead struct {
	Name  string `json:"name"`
	DType string `json:"dtype"` // as NumPy writes it: "<f4", "<f8", "<i4", "|u1"
	Shape []int  `json:"shape"`
}

// elementSizes are the bytes of an element, by the dtypes there are.
var elementSizes = map[string]int64{"<f4": 4, "<f8": 8, "<i4": 4, "|u1": 1}

// size is the number of bytes of the array.
func (a arrayHead) size() (int64, error) {
	n, known := elementSizes[a.DType]
	if !known {
		return 0, usererr.New("use <f4, <f8, <i4 or |u1", "array %q has the dtype %q", a.Name, a.DType)
	}
	for _, axis := range a.Shape {
		if axis < 0 || axis > 0 && n > math.MaxInt64/int64(axis) {
			return 0, usererr.New("give the sizes of its axes", "array %q has the shape %v", a.Name, a.Shape)
		}
		n *= int64(axis)
	}
	return n, nil
}

// readRequest reads the next request. A request that makes no sense is not an error but has a fault: the next one can
// be read after it. At the end of the input it is io.EOF, also in the middle of a request.
func readRequest(in *bufio.Reader) (*request, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), longestHead+1-len(line))]...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
	r := &request{}
	if len(bytes.TrimSpace(line)) == 0 {
		return readRequest(in)
	}
	if len(line) > longestHead {
		r.fault = usererr.New("send numbers as arrays", "a request's line is longer than %d bytes", longestHead)
		return r, nil
	}
	if err := json.Unmarshal(line, r); err != nil {
		r.fault = usererr.New("send an object on one line", "the request is no JSON: %v", err)
		r.Bytes = 0
		return r, nil
	}
	return r, r.readPayload(in)
}

// readPayload reads the bytes after the line, or passes over them.
func (r *request) readPayload(in io.Reader) error {
	var total int64
	for _, a := range r.Arrays {
		size, err := a.size()
		if err != nil {
			r.fault = err
			break
		}
		total += size
	}
	switch {
	case r.Bytes < 0:
		r.fault, r.Bytes = usererr.New("count them", "%d bytes are said to follow", r.Bytes), 0
	case r.fault == nil && total != r.Bytes:
		r.fault = usererr.New("say as many in bytes", "the arrays take %d bytes, but %d follow", total, r.Bytes)
	case r.fault == nil:
		what := fmt.Sprintf("a request of %s", memory.Size(float64(total)))
		r.fault = memory.Demand(8*float64(total), what, "send less")
	}
	if r.fault != nil {
		r.Arrays = nil
		_, err := io.CopyN(io.Discard, in, r.Bytes)
		return err
	}
	r.payload = make([]byte, total)
	_, err := io.ReadFull(in, r.payload)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return err
}

// bytesOf returns the bytes of the array called name, and nil without one.
func (r *request) bytesOf(name string) (a *arrayHead, values []byte) {
	at := int64(0)
	for i, head := range r.Arrays {
		size, _ := head.size() // readPayload has seen its faults
		if head.Name == name {
			return &r.Arrays[i], r.payload[at : at+size]
		}
		at += size
	}
	return nil, nil
}

// matrix returns the array x of N rows as float64 [N,D]; axes after the second are taken together.
func (r *request) matrix() (x []float64, n, d int, err error) {
	head, values := r.bytesOf("x")
	if head == nil || len(head.Shape) < 2 {
		return nil, 0, 0, usererr.New("send an array x of two axes: points and coordinates", "there are no points")
	}
	n, d = head.Shape[0], 1
	for _, axis := range head.Shape[1:] {
		d *= axis
	}
	if n == 0 || d == 0 {
		return nil, 0, 0, usererr.New("give at least one point with a coordinate", "x has the shape %v", head.Shape)
	}
	switch head.DType {
	case "<f8":
		x = make([]float64, n*d)
		_, err = binary.Decode(values, binary.LittleEndian, x)
	case "<f4":
		narrow := make([]float32, n*d)
		_, err = binary.Decode(values, binary.LittleEndian, narrow)
		for _, v := range narrow {
			x = append(x, float64(v))
		}
	default:
		err = usererr.New("send <f4 or <f8", "x has the dtype %s", head.DType)
	}
	return x, n, d, err
}

// add puts an array into the answer.
func (a *answer) add(name, dtype string, values any, shape ...int) error {
	part, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		return fmt.Errorf("array %s: %w", name, err)
	}
	a.Arrays = append(a.Arrays, arrayHead{name, dtype, shape})
	a.parts = append(a.parts, part)
	a.Bytes += len(part)
	return nil
}

// write writes the answer at once.
func (a *answer) write(out io.Writer) error {
	text, err := json.Marshal(a)
	if err != nil { // a number that JSON does not have
		a = &answer{ID: a.ID, Error: &fault{"internal", "the answer has no JSON: " + err.Error()}}
		if text, err = json.Marshal(a); err != nil {
			return err
		}
	}
	text = append(text, '\n')
	for _, part := range a.parts {
		text = append(text, part...)
	}
	_, err = out.Write(text)
	return err
}
