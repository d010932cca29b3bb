package peers

import (
	"errors"

	"github.com/gfncp/gfncp/internal/usererr"
)

// The variants of DAC.
const (
	MinFilter = "min"      // find any one cluster
	Anchored  = "anchored" // find the cluster of a given point
)

// Config holds the sizes of the peers' networks; each peer reads the keys that concern it. The zero value belongs to
// the energy networks, which read none; start from Default.
type Config struct {
	// Width is the width of every layer. Published: 128.
	Width int `toml:"width" json:"width"`
	// Heads is the number of attention heads (ST, DAC); it divides Width. Published: 4.
	Heads int `toml:"heads" json:"heads"`
	// Inducing is the number of inducing points of an ISAB (ST, DAC). Published: 32.
	Inducing int `toml:"inducing" json:"inducing"`
	// Clusters is the fixed K of ST. Paper: 6.
	Clusters int `toml:"clusters" json:"clusters"`
	// Variant is DAC's filter: MinFilter or Anchored.
	Variant string `toml:"variant" json:"variant"`
	// Likelihood adds the likelihood of a found cluster's points to DAC's loss. Paper: for mixtures of Gaussians only.
	Likelihood bool `toml:"likelihood" json:"likelihood"`
	// Latent is the number of coordinates of CCP's latent z.
	Latent int `toml:"latent" json:"latent"`
	// Samples is the number of importance samples of CCP's objective. Published: 40.
	Samples int `toml:"samples" json:"samples"`
}

// Default returns the published sizes; likelihood says whether DAC's loss uses the cluster likelihood.
func Default(likelihood bool) Config {
	return Config{
		Width: 128, Heads: 4, Inducing: 32, Clusters: 6, Variant: MinFilter, Likelihood: likelihood, Latent: 64, Samples: 40,
	}
}

// Validate reports every key out of range at once.
func (c Config) Validate() error {
	var faults []error
	check := func(key string, value, most int) {
		if value < 1 || value > most {
			faults = append(faults,
				usererr.New("set it with --set "+key+"=…", "%s = %d is outside 1..%d", key, value, most))
		}
	}
	check("peer.width", c.Width, 4096)
	check("peer.heads", c.Heads, 64)
	check("peer.inducing", c.Inducing, 1024)
	check("peer.clusters", c.Clusters, 256)
	check("peer.latent", c.Latent, 4096)
	check("peer.samples", c.Samples, 1024)
	if c.Heads > 0 && c.Width%c.Heads != 0 {
		faults = append(faults, usererr.New("choose peer.heads so that it divides peer.width", "peer.width = %d cannot be split into %d heads", c.Width, c.Heads))
	}
	if c.Variant != MinFilter && c.Variant != Anchored {
		faults = append(faults, usererr.New(`choose "min" or "anchored"`, "peer.variant = %q is not known", c.Variant))
	}
	return errors.Join(faults...)
}
