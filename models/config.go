package models

import (
	"errors"

	"github.com/gfncp/gfncp/internal/usererr"
)

// The kinds of encoder.
const (
	EncoderMLP  = "mlp"
	EncoderConv = "conv"
)

// Config fixes the energy network's sizes. The zero value is invalid; start from Default.
type Config struct {
	// Encoder is the kind of h and u: "mlp" for vectors, "conv" for images of 28×28 pixels (Dim 784).
	Encoder string `toml:"encoder" json:"encoder"`
	// Dim is D, the number of coordinates of a point. Range 1..65536.
	Dim int `toml:"dim" json:"dim"`
	// Hidden is H, the width of every hidden layer. Paper: 128 (MoG, FMNIST, features), 256 (MNIST). Range 1..4096.
	Hidden int `toml:"hidden" json:"hidden"`
	// Embed is d_h = d_u, the width of h(x) and u(x). Paper: 128. Range 1..4096.
	Embed int `toml:"embed" json:"embed"`
	// Global is d_g, the width of g(H_k). Paper: 512. Range 1..65536. It costs nothing at run time: it is folded away.
	Global int `toml:"global" json:"global"`
	// Online drops the unassigned points (U = 0, appendix sec:online_mode): a decision never looks ahead.
	Online bool `toml:"online" json:"online"`
	// Extended gives the network numbers that the paper's would have to learn from sums of h, for vectors of at most 64
	// coordinates. g also reads the size, mean and variance of its cluster, f the numbers of points and clusters, and
	// the energy has a part that adds up over the clusters. The concentration α of the Chinese restaurant process is an
	// input in training. It may be unknown, as it always is when users' sets are clustered.
	//
	// A network that is not online sees whole sets, with points in units of a cluster's width: each point also has the
	// modes of the set's density that mean shift reaches from it, at three bandwidths, and the numbers of points there.
	// The energy is a sum of the clusters' own energies, which start as energies of Gaussian clusters, and a function
	// of the counts. With a unassigned points, f and g add a term with the factor a/(a+4).
	Extended bool `toml:"extended,omitempty" json:"extended,omitempty"`
}

// seesSets reports whether the inputs of a point depend on the others of its set.
func (c Config) seesSets() bool { return c.Extended && !c.Online }

// mostExtended is the largest D of an extended network.
const mostExtended = 64

// Default returns the paper's sizes for points of dim coordinates.
func Default(dim int) Config {
	return Config{Encoder: EncoderMLP, Dim: dim, Hidden: 128, Embed: 128, Global: 512}
}

// DefaultImages returns the paper's sizes for Fashion-MNIST; for MNIST Hidden is 256.
func DefaultImages() Config {
	c := Default(ImageSide * ImageSide)
	c.Encoder = EncoderConv
	return c
}

// Validate reports every field out of range, all at once, as usererr.Errors that name key, value and bound.
func (c Config) Validate() error {
	var faults usererr.Faults
	forbid := func(broken bool, remedy, format string, args ...any) {
		if broken {
			faults = append(faults, usererr.New(remedy, format, args...))
		}
	}
	faults.Within("net.dim", c.Dim, 65536)
	faults.Within("net.hidden", c.Hidden, 4096)
	faults.Within("net.embed", c.Embed, 4096)
	faults.Within("net.global", c.Global, 65536)
	forbid(c.Encoder != EncoderMLP && c.Encoder != EncoderConv, `choose "mlp" or "conv"`,
		"net.encoder = %q is not known", c.Encoder)
	forbid(c.Encoder == EncoderConv && c.Dim != ImageSide*ImageSide, `set net.dim to 784, or net.encoder to "mlp"`,
		"net.encoder = %q reads images of 28×28 pixels, but net.dim = %d", c.Encoder, c.Dim)
	forbid(c.Extended && (c.Encoder != EncoderMLP || c.Dim > mostExtended), "set net.extended=false",
		"net.extended reads vectors of at most %d coordinates", mostExtended)
	return errors.Join(faults...)
}
