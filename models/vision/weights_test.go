package vision

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/safetensors"
)

// fileConfig is a network whose sizes can be read off its weights: its heads are 64 wide.
func fileConfig() Config {
	return Config{ImageSize: 16, Patch: 8, Width: 128, Depth: 1, Heads: 2, MLP: 20}
}

// A file gives the sizes and weights that went into it, a classifier or not.
func TestReadWeights(t *testing.T) {
	c := fileConfig()
	want := drawn(c, 0)
	path := filepath.Join(t.TempDir(), "w.safetensors")
	writeTensors(path, map[string]string{"format": "pt"}, tensorsOf(want)...)
	got := must.M1(ReadWeights(path))
	if got.Config != c || !reflect.DeepEqual(got.Params, want) {
		t.Errorf("config %+v, want %+v, or other weights", got.Config, c)
	}
	if sum := must.M1(hashFile(path)); got.SHA256 != sum || len(sum) != 64 {
		t.Errorf("SHA-256 %q, want %q", got.SHA256, sum)
	}
	head := must.M1(safetensors.FromFloat32s("head.weight", []int{1}, []float32{1}))
	writeTensors(path, nil, append(tensorsOf(want), head)...)
	if got := must.M1(ReadWeights(path)); !reflect.DeepEqual(got.Params, want) {
		t.Error("a classifier changes the weights")
	}
}

// What does not fit is told all at once, by name and shape.
func TestReadWeightsFaults(t *testing.T) {
	tensor := func(name string, shape ...int) safetensors.Tensor {
		size := 1
		for _, d := range shape {
			size *= d
		}
		return must.M1(safetensors.FromFloat32s(name, shape, make([]float32, size)))
	}
	index := func(all []safetensors.Tensor, name string) int {
		return slices.IndexFunc(all, func(t safetensors.Tensor) bool { return t.Name == name })
	}
	replaced := func(name string, with ...safetensors.Tensor) []safetensors.Tensor {
		all := tensorsOf(drawn(fileConfig(), 0))
		i := index(all, name)
		return slices.Replace(all, i, i+1, with...)
	}
	double := tensor("norm.bias", 256)
	double.DType, double.Shape = "F64", []int{128}
	notFinite := tensorsOf(drawn(fileConfig(), 0))
	copy(notFinite[0].Data, []byte{0, 0, 0xc0, 0x7f})
	for _, test := range []struct {
		name    string
		tensors []safetensors.Tensor
		words   []string
	}{
		{
			"two missing", replaced("blocks.0.attn.qkv.bias")[1:],
			[]string{"cls_token [1 1 128] is missing", "blocks.0.attn.qkv.bias [384] is missing"},
		},
		{
			"wrong shape", replaced("norm.weight", tensor("norm.weight", 127)),
			[]string{"norm.weight has shape [127] instead of [128]"},
		},
		{
			"unknown", append(replaced("norm.bias", tensor("norm.bias", 128)), tensor("blocks.0.ls1.gamma", 128)),
			[]string{"blocks.0.ls1.gamma is not known"},
		},
		{"other type", replaced("norm.bias", double), []string{`"norm.bias" holds F64, want F32`}},
		{
			"many",
			[]safetensors.Tensor{tensor("patch_embed.proj.weight", 64,
				3, 8, 8), tensor("pos_embed", 1, 5, 64), tensor("blocks.0.mlp.fc1.weight", 9, 64)},
			[]string{"and 10 more"},
		},
		{
			"a block is missing", append(tensorsOf(drawn(fileConfig(), 0)), tensor("blocks.2.norm1.bias", 128)),
			[]string{"blocks.1.norm1.weight [128] is missing", "and 18 more"},
		},
		{
			"blocks without end",
			append(tensorsOf(drawn(fileConfig(), 0)), tensor("blocks.2000000000.norm1.bias", 128)),
			[]string{"block 2000000000"},
		},
		{
			"no network",
			[]safetensors.Tensor{tensor("w", 3)},
			[]string{"no tensor patch_embed.proj.weight with 4 axes", "timm"},
		},
		{"no square", replaced("pos_embed", tensor("pos_embed", 1, 7, 128)), []string{"7 position embeddings"}},
		{
			"odd width", replaced("patch_embed.proj.weight", tensor("patch_embed.proj.weight", 100, 3, 8, 8)),
			[]string{"width 100"},
		},
		{
			"empty kernel", replaced("patch_embed.proj.weight", tensor("patch_embed.proj.weight", 128, 3, 8, 0)),
			[]string{"patch_embed.proj.weight"},
		},
		{"not a number", notFinite, []string{"cls_token holds NaN"}},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		_, err := ReadWeights(writeTensors(path, nil, test.tensors...))
		wantUserError(t, err, append(test.words, path, PublishedURL)...)
	}
	text := filepath.Join(t.TempDir(), "x.safetensors")
	must.M(os.WriteFile(text, []byte("<html>"), 0o644))
	for _, path := range []string{text, filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		_, err := ReadWeights(path)
		wantUserError(t, err, path, PublishedURL)
	}
}
