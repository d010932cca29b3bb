package models_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/janpfeifer/must"
)

// changedTail returns x with the coordinates from point on replaced.
func changedTail(rng *rand.Rand, x []float32, point, d int) []float32 {
	changed := slices.Clone(x)
	for i := point * d; i < len(changed); i++ {
		changed[i] = float32(100 * rng.NormFloat64())
	}
	return changed
}

// Online, a decision never looks ahead: other later points and labels leave the energies before them bit for bit as
// they were. Otherwise the later points do matter.
func TestOnlineNeverLooksAhead(t *testing.T) {
	const n = 12
	for _, online := range []bool{true, false} {
		c := smallConfig(online)
		net, literal := newPair(c, 17)
		rng := rand.New(rand.NewPCG(18, 0))
		x, labels := randomSets(rng, 1, n, c.Dim)
		want := must.M1(net.Tables(x, labels, 1, n))[0]
		for _, from := range []int{2, 5, n - 1} {
			changed := changedTail(rng, x, from, c.Dim)
			got := must.M1(net.Tables(changed, labels, 1, n))[0]
			for row := 1; row < from; row++ {
				if same := slices.Equal(got[row], want[row]); same != online {
					t.Errorf("online=%v: points from %d changed, energies of point %d the same: %v",
						online, from, row, same)
				}
				if !online {
					continue
				}
				if a, b := literal.Energy(changed, labels[:row+1]), literal.Energy(x, labels[:row+1]); a != b {
					t.Errorf("literal form: points from %d changed, energy of point %d %v, was %v", from, row, a, b)
				}
			}
			if slices.Equal(got[from], want[from]) {
				t.Errorf("online=%v: point %d changed and its energies did not", online, from)
			}
		}
	}
}

// Concurrent calls give what calls one after another give.
func TestNetworkIsSafeForConcurrentUse(t *testing.T) {
	const n = 11
	c := smallConfig(false)
	net, _ := newPair(c, 21)
	rng := rand.New(rand.NewPCG(22, 0))
	var wg sync.WaitGroup
	for range 6 {
		x, labels := randomSets(rng, 1, n, c.Dim)
		want := must.M1(net.Tables(x, labels, 1, n))[0]
		wg.Go(func() {
			for range 5 {
				got, err := net.Tables(x, labels, 1, n)
				if err != nil {
					t.Error(err)
					return
				}
				if !slices.EqualFunc(got[0], want, slices.Equal[[]float64]) {
					t.Error("a concurrent call gave other energies")
					return
				}
			}
		})
	}
	wg.Wait()
}
