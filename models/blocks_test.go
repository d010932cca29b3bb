package models_test

import (
	"math/rand/v2"
	"testing"
)

// More points than are encoded at once, and just as many, have the embeddings that they have in parts.
func TestEncodeInParts(t *testing.T) {
	config := smallConfig(false)
	net, _ := newPair(config, 31)
	const most = 2048
	x, _ := randomSets(rand.New(rand.NewPCG(32, 0)), 1, most+37, config.Dim)
	h, u, err := net.Encode(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][2]int{{0, most}, {most - 5, most + 5}, {most, most + 37}} {
		from, to := part[0], part[1]
		partH, partU, err := net.Encode(x[from*config.Dim:to*config.Dim], 1)
		if err != nil {
			t.Fatal(err)
		}
		assertSame(t, "h'", partH, h[from*config.Hidden:to*config.Hidden])
		assertSame(t, "u'", partU, u[from*config.Hidden:to*config.Hidden])
	}
}
