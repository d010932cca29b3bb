package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// classesKey is the key of the metadata of a .safetensors file under which the names of the classes stand, as a JSON list.
const classesKey = "classes"

// openTensors makes a pool of a .safetensors file.
func openTensors(path string, _ *os.File, _ int64, o Options) (*data.Pool, *Conversion, error) {
	file, err := safetensors.ReadFile(path)
	if err != nil {
		var fault *usererr.Error
		if errors.As(err, &fault) { // its remedy is one for weights
			named := *fault
			named.Hint = "write it anew, with the tensors features [M,D] and labels [M]"
			return nil, nil, &named
		}
		return nil, nil, err
	}
	var arrays []namedArray
	for _, t := range file.Tensors {
		arrays = append(arrays, tensorArray(t))
	}
	names, unread := file.Metadata[classesKey]
	if classes, err := namesArray(names); err == nil {
		arrays, unread = append(arrays, classes), false
	}
	pool, conv, err := openArrays(path, kindTensors, arrays, o)
	if err == nil && unread {
		conv.Warnings = append(conv.Warnings, fmt.Sprintf("the metadata %q are no JSON list of names and are not read", classesKey))
	}
	return pool, conv, err
}

// tensorArray describes a tensor.
func tensorArray(t safetensors.Tensor) namedArray {
	known, _ := tensorType(t.DType)
	h := npyHeader{shape: t.Shape, valueType: known}
	return namedArray{name: t.Name, shape: t.Shape, valueType: known, open: func() (npyHeader, io.Reader, error) {
		return h, bytes.NewReader(t.Data), nil
	}}
}

// namesArray makes an array of the names in a JSON list.
func namesArray(text string) (namedArray, error) {
	var names []string
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return namedArray{}, err
	}
	h, values := textArray(names)
	return namedArray{name: classesKey, shape: h.shape, valueType: h.valueType, open: func() (npyHeader, io.Reader, error) {
		return h, bytes.NewReader(values), nil
	}}, nil
}
