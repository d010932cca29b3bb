package serving

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"io"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Protocol is the version of the protocol. It changes when clients of the previous version no longer work.
const Protocol = 6

// request is a client's request: a line of JSON.
type request struct {
	ID      int64            `json:"id"`
	Op      string           `json:"op"`
	Model   string           `json:"model"`
	Columns []string         `json:"columns"` // names of the columns of x, or nil; of a frame the columns to read
	Options jsontext.Value   `json:"options"`
	Arrays  map[string]array `json:"arrays"`
	// In place of the array x: a file with the CSV of a data frame, with a header and commas (files.Options.Frame). Its
	// rows count from 0.
	Frame       string   `json:"frame"`
	Categorical []string `json:"categorical"` // files.Options.Categorical

	fault error // why the request is refused before its operation is looked at
}

// answer is the answer to a request, with its ID: a line of JSON.
type answer struct {
	ID     int64            `json:"id"`
	OK     bool             `json:"ok"`
	Error  *fault           `json:"error,omitempty"`
	Result any              `json:"result,omitempty"`
	Arrays map[string]array `json:"arrays,omitempty"`
}

type fault struct {
	Kind    string `json:"kind"` // "input" or "internal"
	Message string `json:"message"`
}

// array holds numbers, row by row. Its data are little-endian; JSON has them in base64.
type array struct {
	DType string `json:"dtype"` // as NumPy writes it: "<f4", "<f8", "<i4", "|u1"
	Shape []int  `json:"shape"`
	Data  []byte `json:"data"`
}

// bytesPerByte is about the memory that the work on a request takes for each byte of its line.
const bytesPerByte = 6

// readRequest reads the next line that is not empty. A bad request is not an error, but gets a fault. The error is
// io.EOF at the end of the input, also in the middle of a line.
func readRequest(in *bufio.Reader) (*request, error) {
	for {
		line, size, err := readLine(in, memory.Limit()/bytesPerByte)
		if err != nil {
			return nil, err
		}
		r := &request{}
		r.fault = memory.Demand(bytesPerByte*float64(size), "a request of "+memory.Size(float64(size)), "send less")
		switch {
		case r.fault != nil:
			return r, nil
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		if err := jsonv2.Unmarshal(line, r, jsonv2.RejectUnknownMembers(true)); err != nil {
			r.fault = usererr.New("send an object as in docs/json.md, in one line", "the request cannot be read: %v",
				err)
		}
		return r, nil
	}
}

// readLine reads a line, and returns it with its size. It passes over the rest of a line with more than most bytes.
func readLine(in *bufio.Reader, most float64) (line []byte, size int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); float64(size) <= most {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

// matrix returns the array x of N rows as float64 [N,D]; axes after the second are taken together.
func (r *request) matrix() (x []float64, n, d int, err error) {
	given, present := r.Arrays["x"]
	if !present || len(given.Shape) < 2 {
		return nil, 0, 0, usererr.New("send an array x of two axes: points and coordinates", "there are no points")
	}
	width := map[string]int{"<f4": 4, "<f8": 8}[given.DType]
	if width == 0 {
		return nil, 0, 0, usererr.New("send <f4 or <f8", "x has the dtype %q", given.DType)
	}
	count := 1.0 // a float does not overflow
	for _, axis := range given.Shape {
		count *= float64(max(axis, 0))
	}
	if bytes := len(given.Data); count == 0 || float64(width)*count != float64(bytes) {
		return nil, 0, 0, usererr.New("give at least one point with a coordinate, and the bytes of each number",
			"x has the shape %v and %d bytes", given.Shape, bytes)
	}
	if x = make([]float64, int(count)); width == 8 {
		_, err = binary.Decode(given.Data, binary.LittleEndian, x)
	} else {
		narrow := make([]float32, len(x))
		_, err = binary.Decode(given.Data, binary.LittleEndian, narrow)
		x = data.Float64s(narrow)
	}
	return x, given.Shape[0], len(x) / given.Shape[0], err
}

// add puts an array of numbers into the answer, unless it is empty.
func (a *answer) add(name, dtype string, values any, shape ...int) {
	bytes, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // the values are no numbers: a test sees it
	}
	if len(bytes) == 0 {
		return
	}
	if a.Arrays == nil {
		a.Arrays = map[string]array{}
	}
	a.Arrays[name] = array{dtype, shape, bytes}
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
	_, err = out.Write(append(text, '\n'))
	return err
}
