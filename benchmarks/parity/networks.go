package parity

import (
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/models"
)

func networkCases() []Case {
	return []Case{
		{"encoder mlp", func(b compute.Backend) (trial, error) { return encoder(b, vectors, points(11, 64*2, 10), 5) }},
		{"encoder conv", func(b compute.Backend) (trial, error) { return encoder(b, images, points(12, 6*784, 1), 1) }},
		{"energy table", energyTable},
		{"candidate scores", candidateScores},
	}
}

// repeated is a trial whose second run is the first one again.
func repeated(run func() ([]Quantity, error)) trial {
	return trial{run, func() error { _, err := run(); return err }}
}

// encoder embeds points by h' and u'.
func encoder(backend compute.Backend, c models.Config, x []float32, step int) (trial, error) {
	net, err := models.NewNetwork(backend, c, weights(c, 1))
	if err != nil {
		return trial{}, err
	}
	return repeated(func() ([]Quantity, error) {
		h, u, err := net.Encode(x)
		return []Quantity{{"h'", thin(h, step), rounded}, {"u'", thin(u, step), rounded}}, err
	}), nil
}

// energyTable evaluates all candidates of two labelled sets of 24 points.
func energyTable(backend compute.Backend) (trial, error) {
	const b, n = 2, 24
	net, err := models.NewNetwork(backend, vectors, weights(vectors, 1))
	if err != nil {
		return trial{}, err
	}
	x, labels := points(13, b*n*2, 10), slices.Concat(labelled(14, b, n, 6)...)
	return repeated(func() ([]Quantity, error) {
		tables, err := net.Tables(x, labels, b, n)
		var values []float32
		for _, energies := range slices.Concat(tables...) {
			for _, e := range energies {
				values = append(values, float32(e))
			}
		}
		return []Quantity{{"E", values, rounded}}, err
	}), nil
}

// candidateScores evaluates the decoders' step on 40 rows.
func candidateScores(backend compute.Backend) (trial, error) {
	const count = 40
	net, err := models.NewNetwork(backend, vectors, weights(vectors, 1))
	if err != nil {
		return trial{}, err
	}
	rows, width := net.Buckets.Rows(count), vectors.Hidden
	sums, rest := points(15, rows*width, 20), points(16, rows*width, 20)
	return repeated(func() ([]Quantity, error) {
		cluster, energy := make([]float32, rows*width), make([]float32, rows)
		err := net.Score(sums, rest, rows, cluster, energy)
		return []Quantity{{"g'", thin(cluster[:count*width], 5), rounded}, {"E", energy[:count], rounded}}, err
	}), nil
}
