package vision

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
)

// The files of a comparison, as benchmarks/gpu/vit_timm.py writes them: weights under timm's names, and prepared images
// [B,3,S,S] with the features [B,W] that another program computed from them.
const (
	compareWeights  = "weights.safetensors"
	compareCases    = "cases.safetensors"
	compareImages   = "images"
	compareFeatures = "features"
	compareSource   = "source" // metadata: the other program
)

// Comparison is how far features are from another program's.
type Comparison struct {
	Config  Config
	Source  string  // the other program, as it calls itself
	Images  int     // compared images
	Largest float64 // absolute difference of a coordinate
	Size    float64 // the largest absolute value of the other program's coordinates
}

// Compare computes the features of the prepared images in a folder on a backend and compares them with those that
// another program computed with the same weights. Files that are missing or do not fit together are *usererr.Error.
func Compare(backend compute.Backend, folder string) (*Comparison, error) {
	weights, err := ReadWeights(filepath.Join(folder, compareWeights))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, compareCases)
	file, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := weights.Config
	cases, _ := file.Tensor(compareImages)
	theirs, _ := file.Tensor(compareFeatures)
	if len(cases.Shape) != 4 || cases.Shape[0] < 1 ||
		!slices.Equal(cases.Shape[1:], []int{channels, c.ImageSize, c.ImageSize}) ||
		!slices.Equal(theirs.Shape, []int{cases.Shape[0], c.Width}) {
		return nil, usererr.File(path, 0, "write the folder anew with benchmarks/gpu/vit_timm.py",
			"needs %s [B,3,%d,%d] and %s [B,%d], but has %v and %v", compareImages,
			c.ImageSize, c.ImageSize, compareFeatures, c.Width, cases.Shape, theirs.Shape)
	}
	images, err1 := safetensors.Float32s(cases)
	want, err2 := safetensors.Float32s(theirs)
	if err := cmp.Or(err1, err2); err != nil {
		return nil, usererr.File(path, 0, "write it in float32", "%v", err)
	}
	network, err := NewNetwork(backend, c, weights.Params)
	if err != nil {
		return nil, err
	}
	got, err := network.Features(images, 0)
	if err != nil {
		return nil, err
	}
	result := &Comparison{Config: c, Source: file.Metadata[compareSource], Images: cases.Shape[0]}
	for i, w := range want {
		difference := math.Abs(float64(got[i]) - float64(w))
		if math.IsNaN(difference) || math.IsInf(difference, 0) {
			return nil, fmt.Errorf("%s: coordinate %d of image %d is %v, ours is %v",
				path, i%c.Width, i/c.Width, w, got[i])
		}
		result.Largest = max(result.Largest, difference)
		result.Size = max(result.Size, math.Abs(float64(w)))
	}
	return result, nil
}
