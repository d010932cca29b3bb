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

// sample is a file with a scalar and an empty tensor.
func sample() *File {
	return &File{
		Metadata: map[string]string{"z": "é \"q\" <&>\n", "a": "", "config": `{"d":2}`},
		Tensors: map[string]Tensor{
			"w":         {[]int{2, 2}, []float32{1, -2.5, float32(math.Inf(1)), math.SmallestNonzeroFloat32}},
			"scalar":    {[]int{}, []float32{3}},
			"empty/<ü>": {[]int{4, 0}, []float32{}},
		},
	}
}

func encoded(f *File) []byte {
	var b bytes.Buffer
	must.M(Encode(&b, f))
	return b.Bytes()
}

// TestGoldenBytes writes the files out by hand. The header text has
//
//	{"__metadata__":{"k":"v"},   = 1+14+1+9+1 = 26 bytes
//	"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},   = 3+1+1+13+1+11+1+20+1+1 = 53 bytes
//	"b":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}   = 3+1+1+13+1+10+1+20+1+1 = 52 bytes
//
// so 131 bytes, padded by 5 spaces to 136 = 0x88. 1.5 = 1.1b·2⁰ is 0x3fc00000 in IEEE 754, in half precision 0x3e00.
func TestGoldenBytes(t *testing.T) {
	f := &File{
		Metadata: map[string]string{"k": "v"},
		Tensors:  map[string]Tensor{"b": {nil, []float32{1.5}}, "a": {[]int{1}, []float32{-1.5}}},
	}
	want := "\x88\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"k":"v"},` +
		`"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},` +
		`"b":{"dtype":"F32","shape":[],"data_offsets":[4,8]}}     `
	if got := string(encoded(f)); got != want+"\x00\x00\xc0\xbf"+"\x00\x00\xc0\x3f" {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	f.Half = true
	want = strings.NewReplacer("F32", "F16", "[0,4]", "[0,2]", "[4,8]", "[2,4]").Replace(want)
	if got := string(encoded(f)); got != want+"\x00\xbe"+"\x00\x3e" {
		t.Errorf("half: got  %q\nwant %q", got, want)
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
	if !reflect.DeepEqual(got.Tensors, f.Tensors) {
		t.Errorf("tensors %v, want %v", got.Tensors, f.Tensors)
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
	one := Tensor{[]int{1}, []float32{1}}
	for _, c := range []struct {
		file File
		want string
	}{
		{File{Tensors: map[string]Tensor{"__metadata__": one}}, `tensor "__metadata__": 1 numbers of shape [1]`},
		{File{Tensors: map[string]Tensor{"\xff": one}}, `invalid UTF-8`},
		{File{Metadata: map[string]string{"k": "\xff"}}, `invalid UTF-8`},
		{File{Tensors: map[string]Tensor{"h": {nil, nil}}}, `tensor "h": 0 numbers of shape []`},
	} {
		var b bytes.Buffer
		if err := Encode(&b, &c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %s", err, c.want)
		}
		if b.Len() != 0 {
			t.Errorf("%s: %d bytes were written", c.want, b.Len())
		}
	}
}

// Half precision keeps numbers that it has, and rounds others by at most 1/2048 to the nearest, ties to even.
func TestHalves(t *testing.T) {
	values := []float32{0, 1, -2.5, 65504, 0x1p-14, 0x1p-24, 1 + 0x1p-11, 1 + 3*0x1p-11, 0.1, -3.3333333, 1e-3}
	want := []float32{0, 1, -2.5, 65504, 0x1p-14, 0x1p-24, 1, 1 + 0x1p-9, 0.1, -3.3333333, 1e-3}
	got := must.M1(Halves(values))
	for i, v := range got {
		if off := math.Abs(float64(v - want[i])); off > math.Abs(float64(want[i]))/2048 || i < 8 && off > 0 {
			t.Errorf("%v became %v, want %v", values[i], v, want[i])
		}
	}
	file := &File{Tensors: map[string]Tensor{"w": {[]int{len(got)}, got}}, Half: true}
	if read := must.M1(Decode(encoded(file))); !reflect.DeepEqual(read, file) {
		t.Errorf("rounded numbers changed in a file: %v, want %v", read, file)
	}
	for _, v := range []float32{65520, -1e30, float32(math.Inf(1)), float32(math.NaN())} {
		if _, err := Halves([]float32{0, v}); err == nil || !strings.Contains(err.Error(), "value 1") {
			t.Errorf("%v: %v", v, err)
		}
	}
}
