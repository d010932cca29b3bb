package sampling

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/janpfeifer/must"
)

// A streamed set, in chunks of 7 (the last one shorter, or of a single point), gives what the same set in memory gives.
func TestStreamedEqualsInMemory(t *testing.T) {
	for n, online := range map[int]bool{26: true, 29: false} { // 29 = 4·7 + 1
		rng := rand.New(rand.NewPCG(1, 2))
		order := permutation(rng, n)
		orders := map[string][]Sequence{
			"own order":    {{}},
			"permuted":     {{Order: order}},
			"shared":       {{Order: order}, {Order: order}, {Order: order}},
			"orders mixed": {{}, {Order: order}, {Order: permutation(rng, n)}},
		}
		net := newNet(4, online)
		x := newPoints(5, 1, n)
		memory, streamed := must.M1(encode(t.Context(), net, x, 1, n, 0)), must.M1(encode(t.Context(), net, x, 1, n, 7))
		for name, sequences := range orders {
			t.Run(fmt.Sprintf("N=%d/online=%v/%s", n, online, name), func(t *testing.T) {
				policy := NewAncestral(rand.New(rand.NewPCG(6, 7)), len(sequences), n)
				want := must.M1(memory.runHost(sequences, policy))
				assertSame(t, must.M1(streamed.runHost(sequences, policy)), want)
				assertSame(t, must.M1(streamed.runCompiled(sequences, policy)), want)
			})
		}
	}
}

// Encode streams one large set and nothing else.
func TestEncodeStreamsLargeSetsOnly(t *testing.T) {
	net := newNet(4, true) // online: no pass over u
	for _, c := range []struct{ b, n, chunk int }{
		{1, streamAbove, 0}, {1, streamAbove + 1, streamChunk}, {2, streamAbove + 1, 0},
	} {
		sets := must.M1(Encode(net, make([]float32, c.b*c.n*2), c.b, c.n))
		if sets.chunk != c.chunk {
			t.Errorf("%d sets of %d points: chunks of %d, want %d", c.b, c.n, sets.chunk, c.chunk)
		}
	}
}
