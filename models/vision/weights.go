// Package vision computes features of photos with a vision transformer (Dosovitskiy et al. 2021, "An Image is Worth
// 16x16 Words"): its forward pass as a GoMLX graph, its published weights, the preparation of images as timm does it,
// and the walk over a folder of images. The weights it is made for are DINO's ViT-S/16 (Caron et al. 2021, "Emerging
// Properties in Self-Supervised Vision Transformers"), whose class token the paper clusters. Nothing here trains.
//
// Axis letters: B images, S an image's side in pixels, P a patch's side, n = (S/P)² patches, N = n+1 tokens (the
// class token comes first), W width.
package vision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/models"
)

// Config is the shape of a vision transformer.
type Config struct {
	ImageSize int // S, the side of an image in pixels; a multiple of Patch
	Patch     int // P, the side of a patch in pixels
	Width     int // W, the width of a token; a multiple of Heads
	Depth     int // blocks
	Heads     int // heads of attention, Width/Heads wide each
	MLP       int // hidden units of a block's two dense layers
}

// headWidth is the width of a head in all published networks of this family; weights do not tell it.
const headWidth = 64

const channels = 3

// Validate reports sizes that are no network.
func (c Config) Validate() error {
	switch {
	case c.ImageSize < 1 || c.Patch < 1 || c.Width < 1 || c.Depth < 1 || c.Heads < 1 || c.MLP < 1:
		return fmt.Errorf("a vision transformer's sizes must be at least 1, not %+v", c)
	case c.ImageSize%c.Patch != 0:
		return fmt.Errorf("an image of %d pixels is no whole number of patches of %d", c.ImageSize, c.Patch)
	case c.Width%c.Heads != 0:
		return fmt.Errorf("width %d is no multiple of %d heads", c.Width, c.Heads)
	}
	return nil
}

func (c Config) patches() int { return (c.ImageSize / c.Patch) * (c.ImageSize / c.Patch) }

func (c Config) tokens() int { return c.patches() + 1 }

// pixels is the number of values of an image [3,S,S].
func (c Config) pixels() int { return channels * c.ImageSize * c.ImageSize }

// String names the network as the literature does, e.g. "ViT 384/16, 12 blocks, images of 224×224".
func (c Config) String() string {
	return fmt.Sprintf("ViT %d/%d, %s, images of %d×%d", c.Width, c.Patch,
		text.Count(c.Depth, "block"), c.ImageSize, c.ImageSize)
}

// blockWeights is the number of weight tensors of one block.
const blockWeights = 12

// Layout lists the weights under timm's names and in timm's shapes, without values: matrices are [out,in], the patch
// kernel is [W,3,P,P]. First come the embeddings, then the blocks, then the last norm.
func (c Config) Layout() models.Params {
	ps := models.Params{
		{Name: "cls_token", Shape: []int{1, 1, c.Width}},
		{Name: "pos_embed", Shape: []int{1, c.tokens(), c.Width}},
		{Name: "patch_embed.proj.weight", Shape: []int{c.Width, channels, c.Patch, c.Patch}},
		{Name: "patch_embed.proj.bias", Shape: []int{c.Width}},
	}
	add := func(name string, weight ...int) {
		ps = append(ps,
			models.Param{Name: name + ".weight", Shape: weight},
			models.Param{Name: name + ".bias", Shape: weight[:1:1]})
	}
	for i := range c.Depth {
		block := "blocks." + strconv.Itoa(i)
		add(block+".norm1", c.Width)
		add(block+".attn.qkv", 3*c.Width, c.Width)
		add(block+".attn.proj", c.Width, c.Width)
		add(block+".norm2", c.Width)
		add(block+".mlp.fc1", c.MLP, c.Width)
		add(block+".mlp.fc2", c.Width, c.MLP)
	}
	add("norm", c.Width)
	return ps
}

// Weights are the weights of a vision transformer from a file.
type Weights struct {
	Config Config
	Params models.Params // in the order of Config.Layout
	SHA256 string        // of the file, in hexadecimal
}

const giveWeights = "give the weights of a timm ViT as safetensors in float32, such as " + PublishedURL

// maxFaults is how many tensors a message names.
const maxFaults = 5

// maxDepth bounds the list of expected weights, whatever a file says.
const maxDepth = 1000

// ReadWeights reads a safetensors file with timm's names. Width, depth, patch, image size and MLP follow from the
// shapes; heads are 64 wide. A file that is missing, damaged, or holds other tensors is a *usererr.Error that names
// all that is missing, of a wrong shape or not known. A classifier, which DINO's file does not have, is left out.
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
		return nil, usererr.File(path, 0, giveWeights, "does not hold the weights of a %s: %s",
			c, strings.Join(faults, ", "))
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
			return nil, fmt.Errorf("has no tensor %s with %d axes, so it is no vision transformer of timm's",
				name, axes)
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
		return Config{}, fmt.Errorf("has %d position embeddings, which is not 1 and those of a square of patches",
			pos[1])
	}
	c := Config{
		ImageSize: side * kernel[3], Patch: kernel[3], Width: kernel[0], Heads: kernel[0] / headWidth, MLP: hidden[0],
	}
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

// The published weights of DINO's ViT-S/16, 86.7 MB (Apache 2.0). Their checksum is not known to this program, so a
// download is confirmed by the user, who reads it on PublishedPage.
const (
	PublishedURL  = "https://huggingface.co/timm/vit_small_patch16_224.dino/resolve/main/model.safetensors"
	PublishedPage = "https://huggingface.co/timm/vit_small_patch16_224.dino/blob/main/model.safetensors"
)

// publishedLimit is more than the file can have: 4 bytes a weight, and names.
const publishedLimit = 90_000_000

// PublishedPath is where the published weights lie: dino/vit_small_patch16_224.dino.safetensors in the data folder.
// The file need not exist.
func PublishedPath() (string, error) {
	dir, err := sources.Dir()
	return filepath.Join(dir, "dino", "vit_small_patch16_224.dino.safetensors"), err
}

// Published returns the path of the published weights. If they are not there, they are downloaded, provided that
// sum, their SHA-256 as the user confirmed it, is not empty. A file that is
// there is compared with sum, unless sum is empty; a different one is a *usererr.Error and stays as it is.
func Published(ctx context.Context, sum string, o sources.FetchOptions) (string, error) {
	path, err := PublishedPath()
	if err != nil {
		return "", err
	}
	sum = strings.ToLower(sum)
	if raw, err := hex.DecodeString(sum); sum != "" && (err != nil || len(raw) != 32) {
		return "", usererr.New("give the 64 hexadecimal digits of "+PublishedPage, "--sha256 %q is no SHA-256", sum)
	}
	_, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && sum == "":
		return "", usererr.New("read their SHA-256 on "+PublishedPage+
			" and give it as --sha256, which downloads them; or download "+
			PublishedURL+" yourself, into that place or anywhere with --weights FILE",
			"the weights of DINO ViT-S/16 are not there: no %s", path)
	case errors.Is(err, fs.ErrNotExist):
		return path, sources.GetFile(ctx, PublishedURL, path, sum, publishedLimit, o)
	case err != nil:
		return "", fmt.Errorf("look for weights: %w", err)
	case sum == "":
		return path, nil
	}
	got, err := hashFile(path)
	if err == nil && got != sum {
		err = usererr.File(path, 0, "give the right --sha256, or move the file away to download it anew",
			"has SHA-256 %s, not %s", got, sum)
	}
	return path, err
}
