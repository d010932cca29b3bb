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
	// Moments extends the paper's network by numbers that it would have to learn from sums of h: g also reads the size,
	// mean and variance of its cluster, f the numbers of points and clusters, and the energy has a part that adds up
	// over the clusters. For vectors of at most 64 coordinates.
	Moments bool `toml:"moments,omitempty" json:"moments,omitempty"`
	// MeanShift gives each point further inputs: the mode of the set's density that mean shift reaches from it, at
	// three bandwidths, and the number of points there. For networks with Moments that see whole sets, with points in
	// units of a cluster's width.
	MeanShift bool `toml:"mean_shift,omitempty" json:"mean_shift,omitempty"`
	// Alpha makes the concentration α of the Chinese restaurant process an input in training. It may be unknown, as it
	// always is when users' sets are clustered. For networks with Moments.
	Alpha bool `toml:"alpha,omitempty" json:"alpha,omitempty"`
	// Additive makes the energy a sum of the clusters' own energies, which start as energies of Gaussian clusters, and
	// a function of the counts. With a unassigned points, f and g add a term with the factor a/(a+4), which is 0 at the
	// last decision. For networks with MeanShift.
	Additive bool `toml:"additive,omitempty" json:"additive,omitempty"`
}

// mostMoments is the largest D of a network with Moments.
const mostMoments = 64

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
	forbid(c.Alpha && !c.Moments, "set net.moments=true", "net.alpha needs net.moments")
	forbid(c.Additive && !c.MeanShift, "set net.mean_shift=true", "net.additive needs net.mean_shift")
	forbid(c.MeanShift && !c.Moments, "set net.moments=true", "net.mean_shift needs net.moments")
	forbid(c.MeanShift && c.Online, "set net.online=false",
		"net.mean_shift looks at the whole set, which a network with net.online does not see")
	forbid(c.Moments && (c.Encoder != EncoderMLP || c.Dim > mostMoments), "set net.moments=false",
		"net.moments reads vectors of at most %d coordinates", mostMoments)
	return errors.Join(faults...)
}
