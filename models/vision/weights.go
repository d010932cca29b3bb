package vision

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// Weights are the weights of a vision transformer from a file.
type Weights struct {
	Config Config
	Params models.Params // in the order of Config.Layout
	SHA256 string        // of the file, in hexadecimal
}

// giveWeights is the remedy for a file that holds no usable weights.
const giveWeights = "give the weights of a timm ViT as safetensors in float32, such as " + PublishedURL

// maxFaults is how many tensors a message names.
const maxFaults = 5

// maxDepth bounds the list of expected weights, whatever a file says.
const maxDepth = 1000

// ReadWeights reads a safetensors file with timm's names. Width, depth, patch, image size and MLP follow from the shapes;
// heads are 64 wide. A file that is missing, damaged, or holds other tensors is a *usererr.Error that names all that is
// missing, of a wrong shape or not known. A classifier, which DINO's file does not have, is left out.
func ReadWeights(path string) (*Weights, error) {
	file, err := safetensors.ReadFile(path)
	if err != nil {
		var fault *usererr.Error
		if errors.As(err, &fault) {
			fault.Hint = giveWeights
		}
		return nil, err
	}
	c, err := configOf(file)
	if err != nil {
		return nil, usererr.File(path, 0, giveWeights, "%v", err)
	}
	ps, faults := fill(c.Layout(), file)
	if len(faults) > 0 {
		if more := len(faults) - maxFaults; more > 0 {
			faults = append(faults[:maxFaults], fmt.Sprintf("and %d more", more))
		}
		return nil, usererr.File(path, 0, giveWeights, "does not hold the weights of a %s: %s", c, strings.Join(faults, ", "))
	}
	if err := c.Layout().Check(ps); err != nil {
		return nil, usererr.File(path, 0, giveWeights, "%v", err)
	}
	sum, err := hashFile(path)
	return &Weights{Config: c, Params: ps, SHA256: sum}, err
}

// configOf reads the network's sizes off the shapes.
func configOf(file *safetensors.File) (Config, error) {
	shape := func(name string, axes int) ([]int, error) {
		t, ok := file.Tensor(name)
		if !ok || len(t.Shape) != axes || slices.Contains(t.Shape, 0) {
			return nil, fmt.Errorf("has no tensor %s with %d axes, so it is no vision transformer of timm's", name, axes)
		}
		return t.Shape, nil
	}
	kernel, err1 := shape("patch_embed.proj.weight", 4)
	pos, err2 := shape("pos_embed", 3)
	hidden, err3 := shape("blocks.0.mlp.fc1.weight", 2)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return Config{}, err
	}
	side := int(math.Round(math.Sqrt(float64(pos[1] - 1))))
	if side < 1 || side*side != pos[1]-1 {
		return Config{}, fmt.Errorf("has %d position embeddings, which is not 1 and those of a square of patches", pos[1])
	}
	c := Config{ImageSize: side * kernel[3], Patch: kernel[3], Width: kernel[0], Heads: kernel[0] / headWidth, MLP: hidden[0]}
	if c.Width%headWidth != 0 {
		return Config{}, fmt.Errorf("has width %d, which is no multiple of a head's %d", c.Width, headWidth)
	}
	for _, t := range file.Tensors { // the largest number, so that a block that lacks is missing
		var block int
		if n, _ := fmt.Sscanf(t.Name, "blocks.%d.", &block); n == 1 {
			c.Depth = max(c.Depth, block+1)
		}
	}
	if c.Depth > maxDepth {
		return Config{}, fmt.Errorf("has a block %d; at most %d are read", c.Depth-1, maxDepth)
	}
	return c, c.Validate()
}

// fill takes the values of a layout out of a file, and lists in words all that does not fit.
func fill(layout models.Params, file *safetensors.File) (ps models.Params, faults []string) {
	known := map[string]bool{"head.weight": true, "head.bias": true}
	for _, p := range layout {
		known[p.Name] = true
		t, ok := file.Tensor(p.Name)
		switch {
		case !ok:
			faults = append(faults, fmt.Sprintf("%s %v is missing", p.Name, p.Shape))
			continue
		case !slices.Equal(t.Shape, p.Shape):
			faults = append(faults, fmt.Sprintf("%s has shape %v instead of %v", p.Name, t.Shape, p.Shape))
			continue
		}
		values, err := safetensors.Float32s(t)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		p.Data = values
		ps = append(ps, p)
	}
	for _, t := range file.Tensors {
		if !known[t.Name] {
			faults = append(faults, fmt.Sprintf("%s is not known", t.Name))
		}
	}
	return ps, faults
}

// hashFile is the SHA-256 of a file.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
