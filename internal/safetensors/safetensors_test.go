package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
)

// raw builds a file from a header text, with no padding, and the data.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// sample is a file with element types of every size, a scalar and an empty tensor, not in name order.
func sample(t testing.TB) *File {
	t.Helper()
	w, err := FromFloat32s("w", []int{2, 2}, []float32{1, -2.5, float32(math.Inf(1)), math.SmallestNonzeroFloat32})
	if err != nil {
		t.Fatal(err)
	}
	return &File{
		Metadata: map[string]string{"z": "é \"q\" <&>\n", "a": "", "config": `{"d":2}`},
		Tensors: []Tensor{
			w,
			{Name: "scalar", DType: "F64", Shape: []int{}, Data: []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
			{Name: "", DType: "U8", Shape: []int{3}, Data: []byte{1, 2, 3}},
			{Name: "empty/<ü>", DType: "I64", Shape: []int{4, 0}, Data: []byte{}},
			{Name: "i", DType: "I32", Shape: []int{1, 1}, Data: []byte{1, 0, 0, 0}},
			{Name: "u", DType: "U64", Shape: []int{1}, Data: []byte{0, 0, 0, 0, 0, 0, 0, 0x80}},
			{Name: "half", DType: "BF16", Shape: []int{2}, Data: []byte{1, 2, 3, 4}},
			{Name: "true", DType: "BOOL", Shape: []int{1}, Data: []byte{1}},
		},
	}
}

// encoded returns the bytes of f.
func encoded(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestGoldenBytes writes the file out by hand. The header text has
//
//	{"__metadata__":{"k":"v"},   = 1+14+1+9+1 = 26 bytes
//	"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},   = 3+1+1+12+1+11+1+20+1+1 = 52 bytes
//	"b":{"dtype":"F32","shape":[],"data_offsets":[1,5]}}   = 3+1+1+13+1+10+1+20+1+1 = 52 bytes
//
// so 130 bytes, padded by 6 spaces to 136 = 0x88. 1.5 = 1.1b·2⁰ is 0x3fc00000 in IEEE 754.
func TestGoldenBytes(t *testing.T) {
	b, err := FromFloat32s("b", nil, []float32{1.5})
	if err != nil {
		t.Fatal(err)
	}
	f := &File{
		Metadata: map[string]string{"k": "v"},
		Tensors:  []Tensor{b, {Name: "a", DType: "U8", Shape: []int{1}, Data: []byte{7}}},
	}
	want := "\x88\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"k":"v"},` +
		`"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},` +
		`"b":{"dtype":"F32","shape":[],"data_offsets":[1,5]}}      ` +
		"\x07" + "\x00\x00\xc0\x3f"
	if got := string(encoded(t, f)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if f.Tensors[0].Name != "b" {
		t.Error("Encode reordered the caller's tensors")
	}
}

func TestEmptyFile(t *testing.T) {
	const want = "\x08\x00\x00\x00\x00\x00\x00\x00{}      "
	if got := string(encoded(t, &File{})); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f, err := Decode([]byte(want))
	if err != nil || len(f.Tensors) != 0 || f.Metadata != nil {
		t.Errorf("Decode = %+v, %v", f, err)
	}
}

func TestRoundTrip(t *testing.T) {
	f := sample(t)
	data := encoded(t, f)
	if n := binary.LittleEndian.Uint64(data); n%8 != 0 {
		t.Errorf("header length %d is no multiple of 8", n)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Metadata, f.Metadata) {
		t.Errorf("metadata %q, want %q", got.Metadata, f.Metadata)
	}
	if len(got.Tensors) != len(f.Tensors) {
		t.Fatalf("%d tensors, want %d", len(got.Tensors), len(f.Tensors))
	}
	for _, want := range f.Tensors {
		if tensor, ok := got.Tensor(want.Name); !ok || !reflect.DeepEqual(tensor, want) {
			t.Errorf("tensor %+v, want %+v", tensor, want)
		}
	}
	if _, ok := got.Tensor("missing"); ok {
		t.Error("found a tensor that is not there")
	}
	if again := encoded(t, got); !bytes.Equal(again, data) {
		t.Errorf("second encoding differs:\n%q\n%q", again, data)
	}
}

func TestFloat32s(t *testing.T) {
	want := []float32{0, float32(math.Copysign(0, -1)), 3.25, math.MaxFloat32, float32(math.Inf(-1)), 1e-45}
	tensor, err := FromFloat32s("x", []int{3, 2}, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Float32s(tensor)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestFloat32Faults(t *testing.T) {
	_, err := FromFloat32s("x", []int{2, 2}, make([]float32, 3))
	wantErr(t, err, `tensor "x": shape [2 2] of F32 takes 16 bytes, the data has 12`)
	_, err = FromFloat32s("x", []int{-1}, nil)
	wantErr(t, err, `tensor "x": axis 0 has negative size -1`)
	_, err = FromFloat32s("x", []int{1 << 31, 1 << 31, 4}, nil)
	wantErr(t, err, `tensor "x": the shape is too large`)
	_, err = Float32s(Tensor{Name: "x", DType: "F64", Shape: []int{1}, Data: make([]byte, 8)})
	wantErr(t, err, `tensor "x" holds F64, want F32 or F16`)
	_, err = Float32s(Tensor{Name: "x", DType: "F32", Shape: []int{1}, Data: make([]byte, 3)})
	wantErr(t, err, `tensor "x": shape [1] of F32 takes 4 bytes, the data has 3`)
}

// wantErr checks an error's text.
func wantErr(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got error  %v\nwant error %s", err, want)
	}
}

func TestEncodeFaults(t *testing.T) {
	u8 := func(name string) Tensor { return Tensor{Name: name, DType: "U8", Shape: []int{1}, Data: []byte{1}} }
	cases := []struct {
		file File
		want string
	}{
		{File{Tensors: []Tensor{u8("a"), u8("b"), u8("a")}}, `two tensors are called "a"`},
		{File{Tensors: []Tensor{u8("__metadata__")}}, `a tensor cannot be called "__metadata__"`},
		{File{Tensors: []Tensor{u8("\xff")}}, `the tensor name "\xff" is not UTF-8`},
		{File{Metadata: map[string]string{"k": "\xff"}}, `the metadata of key "k" is not UTF-8`},
		{
			File{Tensors: []Tensor{{Name: "h", DType: "F4", Shape: []int{1}, Data: make([]byte, 2)}}},
			`tensor "h": element type "F4" is not one of BF16, BOOL, F16, F32, F64, I16, I32, I64, I8, U16, ` +
				`U32, U64, U8`,
		},
		{File{Tensors: []Tensor{{Name: "h", DType: "U8"}}}, `tensor "h": shape [] of U8 takes 1 bytes, the data has 0`},
	}
	for _, c := range cases {
		var b bytes.Buffer
		wantErr(t, Encode(&b, &c.file), c.want)
		if b.Len() != 0 {
			t.Errorf("%s: %d bytes were written", c.want, b.Len())
		}
	}
}

// failAfter is a writer that fails once it has taken n writes.
type failAfter struct{ n int }

var errFull = errors.New("full")

// Write implements io.Writer.
func (f *failAfter) Write(p []byte) (int, error) {
	f.n--
	if f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestEncodeReportsWriteErrors(t *testing.T) {
	f := &File{Tensors: []Tensor{{Name: "a", DType: "U8", Shape: []int{1}, Data: []byte{1}}}}
	for n := range 3 {
		if err := Encode(&failAfter{n}, f); !errors.Is(err, errFull) {
			t.Errorf("after %d writes: %v", n, err)
		}
	}
	if err := Encode(&failAfter{3}, f); err != nil {
		t.Error(err)
	}
}

func Example() {
	w, err := FromFloat32s("layer0/weights", []int{2, 3}, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	err = Encode(&file, &File{Metadata: map[string]string{"model": "gfncp"}, Tensors: []Tensor{w}})
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := Decode(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := Float32s(back.Tensors[0])
	fmt.Println(back.Metadata["model"], back.Tensors[0].Name, back.Tensors[0].Shape, values, err)
	// Output: gfncp layer0/weights [2 3] [1 2 3 4 5 6] <nil>
}
