package vision

import (
	"fmt"
	"strconv"

	"github.com/gfncp/gfncp/internal/text"
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

// Small16 is ViT-S/16 for images of 224×224 pixels, the network of timm's vit_small_patch16_224.dino: 21,665,664 weights.
func Small16() Config {
	return Config{ImageSize: 224, Patch: 16, Width: 384, Depth: 12, Heads: 6, MLP: 1536}
}

// headWidth is the width of a head in all published networks of this family; weights do not tell it.
const headWidth = 64

// channels are red, green and blue.
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

// patches is n, the number of patches of an image.
func (c Config) patches() int { return (c.ImageSize / c.Patch) * (c.ImageSize / c.Patch) }

// tokens is N.
func (c Config) tokens() int { return c.patches() + 1 }

// pixels is the number of values of an image [3,S,S].
func (c Config) pixels() int { return channels * c.ImageSize * c.ImageSize }

// String names the network as the literature does, e.g. "ViT 384/16, 12 blocks, images of 224×224".
func (c Config) String() string {
	return fmt.Sprintf("ViT %d/%d, %s, images of %d×%d", c.Width, c.Patch, text.Count(c.Depth, "block"), c.ImageSize, c.ImageSize)
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
