package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// classesKey is the key of the metadata of a .safetensors file under which the names of the classes stand, as a JSON
// list.
const classesKey = "classes"

var tensorsFormat = fileFormat{
	kind: "safetensors", starts: isTensors, named: ending(".safetensors"), seeks: true, columns: true, read: openTensors,
}

// isTensors reports whether a file begins as one of tensors does: with a header of less than 4 GiB of JSON.
func isTensors(start []byte) bool {
	return len(start) >= 9 && start[8] == '{' && slices.Equal(start[4:8], make([]byte, 4))
}

// openTensors reads a .safetensors file.
func openTensors(from *opened, o Options) (*Input, error) {
	path := from.path
	file, err := safetensors.ReadFile(path)
	if err != nil {
		var fault *usererr.Error
		if errors.As(err, &fault) { // its remedy is one for weights
			named := *fault
			named.Hint = "write it anew, with the tensors features [M,D] and labels [M]"
			return nil, &named
		}
		return nil, err
	}
	var arrays []namedArray
	for _, t := range file.Tensors {
		arrays = append(arrays, tensorArray(t))
	}
	names, unread := file.Metadata[classesKey]
	if classes, err := namesArray(names); err == nil {
		arrays, unread = append(arrays, classes), false
	}
	in, err := openArrays(path, arrays, o)
	if err == nil && unread {
		in.Warnings = append(in.Warnings, fmt.Sprintf("the metadata %q are no JSON list of names and are not read", classesKey))
	}
	return in, err
}

// tensorArray describes a tensor.
func tensorArray(t safetensors.Tensor) namedArray {
	return arrayOf(t.Name, npyHeader{shape: t.Shape, valueType: tensorType(t.DType)}, t.Data)
}

// namesArray makes an array of the names in a JSON list.
func namesArray(text string) (namedArray, error) {
	var names []string
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return namedArray{}, err
	}
	h, values := textArray(names)
	return arrayOf(classesKey, h, values), nil
}

// arrayOf is an array whose values are at hand.
func arrayOf(name string, h npyHeader, values []byte) namedArray {
	return namedArray{name: name, npyHeader: h, open: func() (io.Reader, error) { return bytes.NewReader(values), nil }}
}
