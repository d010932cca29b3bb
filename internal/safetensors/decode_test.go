package safetensors

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/usererr"
)

// one is a header for a single tensor with the given fields.
func one(dtype, shape, offsets string) string {
	return `{"w":{"dtype":` + dtype + `,"shape":` + shape + `,"data_offsets":` + offsets + `}}`
}

const asWritten = "the header is not written as gfncp writes it"

var badFiles = []struct {
	name string
	data []byte
	want string
}{
	{"empty", nil, `0 bytes cannot hold a header`},
	{"only length", make([]byte, 8), `8 bytes cannot hold a header`},
	{
		"huge header", []byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
		`header length 18446744073709551615 is more than 1048576`,
	},
	{
		"header cut", []byte("\x09\x00\x00\x00\x00\x00\x00\x00{}"),
		`the header takes 9 bytes, 2 are there`,
	},
	{"array", raw("[]"), `there is no JSON header`},
	{"broken JSON", raw(`{"a"`), `header: `},
	{"not UTF-8", raw("{\"\xff\":1}     "), `invalid UTF-8`},
	{"no tensor", raw(`{"w":1} `), `tensor "w": `},
	{"metadata not text", raw(`{"__metadata__":{"k":1}}`), `header: __metadata__: `},
	{"key twice", raw(`{"__metadata__":{"k":"1","k":"2"}}      `), `duplicate`},
	{"field in another case", raw(`{"w":{"Dtype":"F16","shape":[1],"data_offsets":[0,2]}}  `, 1, 2, 3, 4), asWritten},
	{"unknown type", raw(one(`"F8_E4M3"`, "[1]", "[0,4]"), 1, 2, 3, 4), asWritten},
	{
		"two types", raw(`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},`+
			`"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}} `, 1, 2, 3, 4, 5, 6), asWritten,
	},
	{"negative shape", raw(one(`"F32"`, "[-1]", "[0,4]"), 1, 2, 3, 4), `it has shape [-1], but 4 bytes are there`},
	{
		"shape too large", raw(one(`"F32"`, "[4294967296,4294967296]", "[0,0]")),
		`tensor "w": it has shape [4294967296 4294967296], but 0 bytes are there`,
	},
	{
		"shape against data", raw(one(`"F32"`, "[2]", "[0,4]"), 1, 2, 3, 4),
		`tensor "w": it has shape [2], but 4 bytes are there`,
	},
	{"negative offset", raw(one(`"F16"`, "[1]", "[-2,0]")+" ", 1, 2), asWritten},
	{
		"data cut", raw(one(`"F16"`, "[3]", "[0,6]"), 1, 2, 3, 4),
		`tensor "w": it has shape [3], but 4 bytes are there`,
	},
	{"data after", raw(one(`"F16"`, "[1]", "[0,2]"), 1, 2, 3), `1 bytes follow the last tensor`},
}

func TestDecodeFaults(t *testing.T) {
	for _, c := range badFiles {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode(c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestReadFile(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := encoded(sample())
	write := func(name string, data []byte) {
		must.M(os.WriteFile(name, data, 0o644))
	}
	write("good.safetensors", whole)
	f, err := ReadFile("good.safetensors")
	if err != nil || !bytes.Equal(encoded(f), whole) {
		t.Fatalf("good file: %v", err)
	}
	must.M(os.Mkdir("dir", 0o755))
	write("cut", whole[:len(whole)-1])
	write("cut2", raw("{}  ")[:10])
	write("foreign", []byte("x,y\n1,2\n3,4\n"))
	write("empty", nil)
	write("f8", raw(one(`"F8_E4M3"`, "[1]", "[0,4]"), 1, 2, 3, 4))
	const hint = "; copy it again, or give a checkpoint written by gfncp train or gfncp export"
	const broken = ": is damaged or cut short, or no safetensors file of gfncp "
	cases := []struct{ path, want string }{
		{"none", "none: no such file or folder; check the path"},
		{"good.safetensors/x", "good.safetensors/x: no such file or folder; check the path"},
		{"dir", "dir: is a folder; name a regular file"},
		{"cut", "cut" + broken + `(tensor "w": it has shape [2 2], but 15 bytes are there)` + hint},
		{"cut2", "cut2" + broken + "(the header takes 4 bytes, 2 are there)" + hint},
		// "x,y\n1,2\n" read as a little-endian number, as printf 'x,y\n1,2\n' | od -t u8 prints it
		{"foreign", "foreign" + broken + "(header length 734698278355545208 is more than 1048576)" + hint},
		{"empty", "empty" + broken + "(0 bytes cannot hold a header)" + hint},
		{"f8", "f8" + broken + "(" + asWritten + ")" + hint},
		{os.DevNull, os.DevNull + ": is a device; name a regular file"},
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
	f.Add(encoded(sample()))
	f.Add(encoded(&File{}))
	for _, c := range badFiles {
		f.Add(c.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Decode(data)
		if err != nil {
			return
		}
		total := 0
		for _, tensor := range file.Tensors {
			total += len(tensor.Data)
		}
		if total > len(data)/2 {
			t.Fatalf("%d numbers in a file of %d bytes", total, len(data))
		}
		once := encoded(file)
		again, err := Decode(once)
		if err != nil {
			t.Fatalf("the encoding of an accepted file is refused: %v", err)
		}
		if !bytes.Equal(encoded(again), once) {
			t.Fatal("encoding is not stable")
		}
	})
}
