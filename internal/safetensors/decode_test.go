package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

// one is a header for a single tensor with the given fields.
func one(dtype, shape, offsets string) string {
	return `{"w":{"dtype":` + dtype + `,"shape":` + shape + `,"data_offsets":` + offsets + `}}`
}

// pair is a header for two U8 tensors, each with one axis.
func pair(shapeA, offsetsA, shapeB, offsetsB string) string {
	return `{"a":{"dtype":"U8","shape":` + shapeA + `,"data_offsets":` + offsetsA + `},` +
		`"b":{"dtype":"U8","shape":` + shapeB + `,"data_offsets":` + offsetsB + `}}`
}

// badFiles holds a file for each fault and the error without its "invalid safetensors data: " prefix.
var badFiles = []struct {
	name string
	data []byte
	want string
}{
	{"empty", nil, `0 bytes cannot hold a header`},
	{"only length", make([]byte, 8), `8 bytes cannot hold a header`},
	{
		"huge header", []byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
		`header length 18446744073709551615 is more than 100000000`,
	},
	{
		"above the cap", append(binary.LittleEndian.AppendUint64(nil, MaxHeader+1), "{}"...),
		`header length 100000001 is more than 100000000`,
	},
	{
		"header cut", []byte("\x09\x00\x00\x00\x00\x00\x00\x00{}"),
		`the data ends too early: the header takes 9 bytes, 2 are there`,
	},
	{"header of no bytes", raw("", '{', '}'), `there is no JSON header`},
	{"leading space", raw(" {}"), `there is no JSON header`},
	{"array", raw("[]"), `there is no JSON header`},
	{"broken JSON", raw(`{"a"`), `header: tensor "a": the JSON object has no end`},
	{"text after", raw(`{} {}`), `header: text follows the JSON object`},
	{"not UTF-8", raw("{\"\xff\":1}"), `the header is not UTF-8`},
	{"tensor is a number", raw(`{"w":1}`), `header: tensor "w": 1 stands where { should`},
	{"metadata not text", raw(`{"__metadata__":{"k":1}}`), `header: 1 is not a string`},
	{"metadata twice", raw(`{"__metadata__":{},"__metadata__":{}}`), `header: key "__metadata__" occurs twice`},
	{"metadata key twice", raw(`{"__metadata__":{"k":"1","k":"2"}}`), `header: key "k" occurs twice`},
	{
		"name twice", raw(strings.ReplaceAll(pair("[1]", "[0,1]", "[1]", "[1,2]"), `"b"`, `"a"`), 1, 2),
		`header: key "a" occurs twice`,
	},
	{
		"field twice", raw(`{"w":{"dtype":"U8","dtype":"U8","shape":[]}}`),
		`header: tensor "w": key "dtype" occurs twice`,
	},
	{
		"field missing", raw(`{"w":{"dtype":"U8","shape":[]}}`),
		`header: tensor "w": dtype, shape or data_offsets is missing`,
	},
	{"field unknown", raw(`{"w":{"dtype":"U8","strides":[1]}}`), `header: tensor "w": unknown field "strides"`},
	{
		"unknown type", raw(one(`"F8_E4M3"`, "[1]", "[0,2]"), 1, 2),
		`tensor "w": element type "F8_E4M3" is not one of BF16, BOOL, F16, F32, F64, I16, I32, I64, I8, U16, ` +
			`U32, U64, U8`,
	},
	{"type no text", raw(one(`4`, "[1]", "[0,2]"), 1, 2), `header: tensor "w": 4 is not a string`},
	{
		"negative shape", raw(one(`"U8"`, "[-1]", "[0,1]"), 1),
		`header: tensor "w": -1 is not an integer from 0 to the largest offset`,
	},
	{
		"shape with fraction", raw(one(`"U8"`, "[1.0]", "[0,1]"), 1),
		`header: tensor "w": 1.0 is not an integer from 0 to the largest offset`,
	},
	{"shape with text", raw(one(`"U8"`, `["1"]`, "[0,1]"), 1), `header: tensor "w": 1 is not a number`},
	{"shape nested", raw(one(`"U8"`, `[[1]]`, "[0,1]"), 1), `header: tensor "w": [ is not a number`},
	{"shape too large", raw(one(`"F64"`, "[4294967296,4294967296]", "[0,0]")), `tensor "w": the shape is too large`},
	{
		"axis beyond int", raw(one(`"U8"`, "[9223372036854775808]", "[0,1]"), 1),
		`header: tensor "w": 9223372036854775808 is not an integer from 0 to the largest offset`,
	},
	{
		"shape against data", raw(one(`"F32"`, "[2]", "[0,4]"), 1, 2, 3, 4),
		`tensor "w": shape [2] of F32 takes 8 bytes, its offsets 4`,
	},
	{
		"negative offset", raw(one(`"U8"`, "[1]", "[-1,0]"), 1),
		`header: tensor "w": -1 is not an integer from 0 to the largest offset`,
	},
	{"one offset", raw(one(`"U8"`, "[1]", "[1]"), 1), `header: tensor "w": data_offsets has 1 numbers, want 2`},
	{"end before begin", raw(one(`"U8"`, "[1]", "[1,0]"), 1), `tensor "w" ends at 0, before its begin at 1`},
	{
		"data cut", raw(one(`"U8"`, "[3]", "[0,3]"), 1, 2),
		`the data ends too early: the tensors take 3 bytes, 2 are there`,
	},
	{"data after", raw(one(`"U8"`, "[1]", "[0,1]"), 1, 2), `1 bytes follow the last tensor`},
	{
		"hole before", raw(one(`"U8"`, "[1]", "[1,2]"), 1, 2),
		`tensor "w" begins at 1, want 0: the data overlaps or has a hole`,
	},
	{
		"hole between", raw(pair("[1]", "[0,1]", "[1]", "[2,3]"), 1, 2, 3),
		`tensor "b" begins at 2, want 1: the data overlaps or has a hole`,
	},
	{
		"overlap", raw(pair("[2]", "[0,2]", "[2]", "[1,3]"), 1, 2, 3),
		`tensor "b" begins at 1, want 2: the data overlaps or has a hole`,
	},
	{
		"shared", raw(pair("[1]", "[0,1]", "[1]", "[0,1]"), 1),
		`tensor "b" begins at 0, want 1: the data overlaps or has a hole`,
	},
}

func TestDecodeFaults(t *testing.T) {
	for _, c := range badFiles {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode(c.data)
			wantErr(t, err, "invalid safetensors data: "+c.want)
			if !errors.Is(err, ErrFormat) ||
				errors.Is(err, ErrTruncated) != strings.Contains(c.want, "ends too early") {
				t.Errorf("wrong kind of error: %v", err)
			}
		})
	}
}

// TestDecodeForeignOrder reads what another writer may produce: data in another order than the names, a tensor without
// elements in between, white space, metadata last.
func TestDecodeForeignOrder(t *testing.T) {
	header := "{ \"b\": {\"data_offsets\": [0, 2], \"shape\": [2], \"dtype\": \"U8\"},\n" +
		`"a": {"dtype":"U8","shape":[1],"data_offsets":[2,3]},` +
		`"none": {"dtype":"F32","shape":[4611686018427387904,0,8],"data_offsets":[2,2]},"__metadata__":{"k":"v"}} ` +
		"\n"
	f, err := Decode(raw(header, 1, 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := f.Tensor("a")
	b, _ := f.Tensor("b")
	none, ok := f.Tensor("none")
	if !bytes.Equal(a.Data, []byte{3}) || !bytes.Equal(b.Data, []byte{1, 2}) || !ok || len(none.Data) != 0 {
		t.Errorf("tensors %+v", f.Tensors)
	}
	if f.Tensors[0].Name != "a" || f.Metadata["k"] != "v" {
		t.Errorf("order or metadata: %+v", f)
	}
}

func TestReadFile(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := encoded(t, sample(t))
	write := func(name string, data []byte) {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("good.safetensors", whole)
	f, err := ReadFile("good.safetensors")
	if err != nil || !bytes.Equal(encoded(t, f), whole) {
		t.Fatalf("good file: %v", err)
	}
	if err := os.Mkdir("dir", 0o755); err != nil {
		t.Fatal(err)
	}
	write("cut", whole[:len(whole)-1])
	write("cut2", raw("{}  ")[:10])
	write("foreign", []byte("x,y\n1,2\n3,4\n"))
	write("empty", nil)
	write("f8", raw(one(`"F8_E4M3"`, "[1]", "[0,2]"), 1, 2))
	const hint = "; give a checkpoint written by gfncp train or gfncp export"
	const cut = " is a safetensors file that is cut short "
	const again = "; copy it again, or give a checkpoint written by gfncp train or gfncp export"
	cases := []struct{ path, want string }{
		{"none", "none: no such file" + hint},
		{"good.safetensors/x", "good.safetensors/x: no such file" + hint},
		{"dir", "dir: is a directory, not a safetensors file; name the .safetensors file in it"},
		// 1·8 + 1·3 + 0 + 1·4 + 1·8 + 2·2 + 1·1 + 4·4 = 44 bytes of tensors in sample
		{"cut", "cut:" + cut + "(the tensors take 44 bytes, 43 are there)" + again},
		{"cut2", "cut2:" + cut + "(the header takes 4 bytes, 2 are there)" + again},
		// "x,y\n1,2\n" read as a little-endian number, as printf 'x,y\n1,2\n' | od -t u8 prints it
		{
			"foreign",
			"foreign: is not a safetensors file (header length 734698278355545208 is more than 100000000)" + hint,
		},
		{"empty", "empty: is not a safetensors file (0 bytes cannot hold a header)" + hint},
		{
			"f8",
			`f8: is a damaged or unsupported safetensors file (tensor "w": element type "F8_E4M3" is not one of ` +
				`BF16, BOOL, F16, F32, F64, I16, I32, I64, I8, U16, U32, U64, U8)` + hint,
		},
		{os.DevNull, os.DevNull + ": is not a regular file" + hint},
	}
	for _, c := range cases {
		_, err := ReadFile(filepath.FromSlash(c.path))
		wantErr(t, err, c.want)
		if !usererr.Is(err) {
			t.Errorf("%s: no user fault: %v", c.path, err)
		}
	}
}

// FuzzDecode checks that Decode never panics, and that what it accepts survives a round trip.
func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, sample(f)))
	f.Add(encoded(f, &File{}))
	for _, c := range badFiles {
		f.Add(c.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Decode(data)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v does not wrap ErrFormat", err)
			}
			return
		}
		total := 0
		for _, tensor := range file.Tensors {
			total += len(tensor.Data)
		}
		if total > len(data) {
			t.Fatalf("%d bytes of tensors in a file of %d", total, len(data))
		}
		once := encoded(t, file)
		again, err := Decode(once)
		if err != nil {
			t.Fatalf("the encoding of an accepted file is refused: %v", err)
		}
		if !bytes.Equal(encoded(t, again), once) {
			t.Fatal("encoding is not stable")
		}
	})
}

// Headers of very many tensors are refused before they fill the memory.
func TestDecodeBoundsTensors(t *testing.T) {
	t.Parallel()
	f := &File{}
	for i := range MaxTensors + 1 {
		f.Tensors = append(f.Tensors, Tensor{Name: strconv.Itoa(i), DType: "U8", Shape: []int{0}})
	}
	var b bytes.Buffer
	if err := Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(b.Bytes()); err == nil || !strings.Contains(err.Error(), "more than 100000 tensors") {
		t.Errorf("%d tensors gave %v", len(f.Tensors), err)
	}
}
