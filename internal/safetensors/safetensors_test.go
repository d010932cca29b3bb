package safetensors

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// raw builds a file from a header text, with no padding, and the data.
func raw(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

// sample is a file with element types of every size, a scalar and an empty tensor, not in name order.
func sample() *File {
	w := must.M1(FromFloat32s("w", []int{2, 2}, []float32{1, -2.5, float32(math.Inf(1)), math.SmallestNonzeroFloat32}))
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

func encoded(f *File) []byte {
	var b bytes.Buffer
	must.M(Encode(&b, f))
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
	b := must.M1(FromFloat32s("b", nil, []float32{1.5}))
	f := &File{
		Metadata: map[string]string{"k": "v"},
		Tensors:  []Tensor{b, {Name: "a", DType: "U8", Shape: []int{1}, Data: []byte{7}}},
	}
	want := "\x88\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"k":"v"},` +
		`"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},` +
		`"b":{"dtype":"F32","shape":[],"data_offsets":[1,5]}}      ` +
		"\x07" + "\x00\x00\xc0\x3f"
	if got := string(encoded(f)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if f.Tensors[0].Name != "b" {
		t.Error("Encode reordered the caller's tensors")
	}
}

func TestRoundTrip(t *testing.T) {
	f := sample()
	data := encoded(f)
	if n := binary.LittleEndian.Uint64(data); n%8 != 0 {
		t.Errorf("header length %d is no multiple of 8", n)
	}
	got := must.M1(Decode(data))
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
	if again := encoded(got); !bytes.Equal(again, data) {
		t.Errorf("second encoding differs:\n%q\n%q", again, data)
	}
}

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
			`tensor "h": element type "F4"` + notOne,
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

// Half precision keeps numbers that it has, and rounds others by at most 1/2048 to the nearest, ties to even.
func TestHalves(t *testing.T) {
	values := []float32{0, 1, -2.5, 65504, 0x1p-14, 0x1p-24, 1 + 0x1p-11, 1 + 3*0x1p-11, 0.1, -3.3333333, 1e-3}
	want := []float32{0, 1, -2.5, 65504, 0x1p-14, 0x1p-24, 1, 1 + 0x1p-9, 0.1, -3.3333333, 1e-3}
	tensor, err := FromHalves("w", []int{len(values)}, values)
	if err != nil || tensor.DType != "F16" || len(tensor.Data) != 2*len(values) {
		t.Fatalf("%s of %d bytes: %v", tensor.DType, len(tensor.Data), err)
	}
	got := must.M1(Float32s(tensor))
	for i, v := range got {
		if off := math.Abs(float64(v - want[i])); off > math.Abs(float64(want[i]))/2048 || i < 8 && off > 0 {
			t.Errorf("%v became %v, want %v", values[i], v, want[i])
		}
	}
	again, err := FromHalves("w", tensor.Shape, got)
	if err != nil || string(again.Data) != string(tensor.Data) {
		t.Errorf("rounded numbers changed when they were rounded again: %v", err)
	}
}

func TestHalvesRefuse(t *testing.T) {
	for _, v := range []float32{65520, -1e30, float32(math.Inf(1)), float32(math.NaN())} {
		if _, err := FromHalves("w", []int{2}, []float32{0, v}); err == nil ||
			!strings.Contains(err.Error(), `value 1 of tensor "w"`) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if _, err := FromHalves("w", []int{2}, []float32{0}); err == nil {
		t.Error("one value of shape [2] was taken")
	}
}
