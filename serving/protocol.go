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
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Protocol is the version of the protocol. It changes when clients of the previous version no longer work.
const Protocol = 5

// longestFrame bounds the first line of a request, in bytes: three integers of at most 19 digits.
const longestFrame = 64

// request is a client's request: a line "ID HEAD BYTES", then HEAD bytes of JSON, then BYTES bytes which hold the
// arrays one after another. The line says how long the request is, so a bad request can always be skipped.
type request struct {
	Op      string          `json:"op"`
	Model   string          `json:"model"`
	Columns []string        `json:"columns"` // names of the columns of x, or nil; of a frame the columns to read
	Options json.RawMessage `json:"options"`
	Arrays  []arrayHead     `json:"arrays"`
	// In place of the array x: a file with the CSV of a data frame, with a header and commas (files.Options.Frame). Its
	// rows count from 0.
	Frame       string   `json:"frame"`
	Categorical []string `json:"categorical"` // files.Options.Categorical

	id      int64
	payload []byte
	fault   error // why the request is refused before its operation is looked at
}

// answer has the same form in the other direction, with the id of its request.
type answer struct {
	OK     bool        `json:"ok"`
	Error  *fault      `json:"error,omitempty"`
	Result any         `json:"result,omitempty"`
	Arrays []arrayHead `json:"arrays,omitempty"`

	id    int64
	parts [][]byte
}

type fault struct {
	Kind    string `json:"kind"` // "input" or "internal"
	Message string `json:"message"`
}

type arrayHead struct {
	Name  string `json:"name"`
	DType string `json:"dtype"` // as NumPy writes it: "<f4", "<f8", "<i4", "|u1"
	Shape []int  `json:"shape"`
}

// elementSizes are the bytes of an element, by the dtypes there are.
var elementSizes = map[string]int64{"<f4": 4, "<f8": 8, "<i4": 4, "|u1": 1}

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

// errOutOfStep says that the input is not at the start of a request. Nothing after it can be understood.
var errOutOfStep = usererr.New(
	`start it with a line "ID HEAD BYTES": its number, and the bytes of its JSON and of its arrays`,
	"a request does not start with its lengths")

// readRequest reads the next request. A bad request is not an error, but gets a fault, so that the next one can be
// read. The error is errOutOfStep, or io.EOF at the end of the input, also in the middle of a request.
func readRequest(in *bufio.Reader) (*request, error) {
	id, head, size, err := readFrame(in)
	if err != nil {
		return nil, err
	}
	r := &request{id: id}
	what := fmt.Sprintf("a request of %s", memory.Size(float64(head)+float64(size)))
	if r.fault = memory.Demand(8*(float64(head)+float64(size)), what, "send less"); r.fault != nil {
		return r, skip(in, head, size)
	}
	text, err := readBytes(in, head)
	if err != nil {
		return nil, err
	}
	if err := decode(text, r); err != nil {
		r.fault = usererr.New("send an object as in docs/json.md", "the request cannot be read: %v", err)
	} else {
		r.fault = fits(r.Arrays, size)
	}
	if r.fault != nil {
		r.Arrays = nil
		return r, skip(in, size)
	}
	r.payload, err = readBytes(in, size)
	return r, err
}

// decode reads an object of JSON. A field that is not known is an error.
func decode(text []byte, into any) error {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(into); err != nil {
		return err
	}
	if _, err := reader.Token(); err != io.EOF {
		return errors.New("something stands behind the object")
	}
	return nil
}

// readFrame reads the line before a request: its id, and the numbers of bytes of its JSON and of its arrays.
func readFrame(in *bufio.Reader) (id, head, size int64, err error) {
	line, err := in.Peek(1)
	for err == nil && (line[0] == '\n' || line[0] == '\r') { // a person who types may send empty lines
		_, _ = in.Discard(1)
		line, err = in.Peek(1)
	}
	if err != nil {
		return 0, 0, 0, err
	}
	line, err = in.ReadSlice('\n')
	switch fields := strings.Fields(string(line[:min(len(line), longestFrame)])); {
	case errors.Is(err, bufio.ErrBufferFull) || len(line) > longestFrame || err == nil && len(fields) != 3:
		return 0, 0, 0, errOutOfStep
	case err != nil:
		return 0, 0, 0, err
	default:
		for i, number := range []*int64{&id, &head, &size} {
			if *number, err = strconv.ParseInt(fields[i], 10, 64); err != nil || *number < 0 {
				return 0, 0, 0, errOutOfStep
			}
		}
	}
	return id, head, size, nil
}

// readBytes reads n bytes. The end of the input before them is io.EOF.
func readBytes(in io.Reader, n int64) ([]byte, error) {
	text := make([]byte, n)
	_, err := io.ReadFull(in, text)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return text, err
}

// skip passes over parts of a request of these lengths.
func skip(in io.Reader, lengths ...int64) error {
	for _, n := range lengths {
		if _, err := io.CopyN(io.Discard, in, n); err != nil {
			return err
		}
	}
	return nil
}

const sayBytes = "say in the first line how many follow"

// fits returns an error unless the arrays take size bytes together.
func fits(arrays []arrayHead, size int64) error {
	left := size
	for _, a := range arrays {
		n, err := a.size()
		if err != nil {
			return err
		}
		if n > left {
			return usererr.New(sayBytes, "the arrays take more than the %d bytes that follow", size)
		}
		left -= n
	}
	if left > 0 {
		return usererr.New(sayBytes, "the arrays take %d bytes, but %d follow", size-left, size)
	}
	return nil
}

// bytesOf returns the bytes of the array called name, and nil without one.
func (r *request) bytesOf(name string) (a *arrayHead, values []byte) {
	at := int64(0)
	for i, head := range r.Arrays {
		size, _ := head.size() // fits has checked it
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

// add puts an array of numbers into the answer, unless it is empty.
func (a *answer) add(name, dtype string, values any, shape ...int) {
	part, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // the values are no numbers: a test sees it
	}
	if len(part) == 0 {
		return
	}
	a.Arrays = append(a.Arrays, arrayHead{name, dtype, shape})
	a.parts = append(a.parts, part)
}

// write writes the answer at once.
func (a *answer) write(out io.Writer) error {
	text, err := json.Marshal(a)
	if err != nil { // a number that JSON does not have
		a = &answer{id: a.id, Error: &fault{"internal", "the answer has no JSON: " + err.Error()}}
		if text, err = json.Marshal(a); err != nil {
			return err
		}
	}
	arrays := bytes.Join(a.parts, nil)
	line := fmt.Sprintf("%d %d %d\n", a.id, len(text), len(arrays))
	_, err = out.Write(slices.Concat([]byte(line), text, arrays))
	return err
}
