package mixture

import (
	"testing"

	"github.com/janpfeifer/must"
)

// allows tells whether a partition of t clusters contradicts nothing.
func (k *knowledge) allows(labels []int32, t int) bool {
	if t < k.least || t > k.most {
		return false
	}
	for i, leader := range k.leader {
		if labels[i] != labels[leader] {
			return false
		}
	}
	for _, unit := range k.units {
		for _, other := range unit.apart {
			if labels[unit.rows[0]] == labels[k.units[other].rows[0]] {
				return false
			}
		}
	}
	return true
}

// The posterior under all kinds of knowledge agrees with the enumeration of the partitions that it allows.
func TestKnowledgeEnumerated(t *testing.T) {
	apart := [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 5}}
	for name, options := range map[string]Options{
		"two":                    {Least: 2, Most: 2},
		"three":                  {Least: 3, Most: 3},
		"two to four":            {Least: 2, Most: 4},
		"at least three":         {Least: 3},
		"at most two":            {Most: 2},
		"together":               {Together: [][2]int{{0, 4}, {4, 6}, {1, 2}}},
		"apart":                  {Apart: apart},
		"apart in two":           {Apart: apart, Most: 2},
		"apart in four":          {Apart: append([][2]int{{5, 6}, {0, 6}}, apart...), Least: 4, Most: 4},
		"given":                  {Given: []int32{0, -1, 1, 0, -1, 3, -1}},
		"given, together":        {Given: []int32{0, -1, -1, -1, -1, 1, -1}, Together: [][2]int{{1, 4}}, Apart: [][2]int{{1, 0}}},
		"counts":                 {Weights: []float64{3, 1, 1, 2, 1, 5, 1}},
		"parts of rows":          {Weights: []float64{.5, 1.7, .2, 1, 2.5, .9, .6}},
		"weights, two, together": {Weights: []float64{.5, 2, 1, 1, 3, 1, 1}, Least: 2, Most: 3, Together: [][2]int{{3, 4}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := sevenRows(len(name)%2 == 0) // with categories
			r.known = must.M1(options.know(r.n))
			c := newChain(r, numberPrior(), make([]int32, r.n), gaussian, newRandom(12, 3))
			c.held = true
			if variation, largest := compareWithEnumeration(t, c, 25_000); variation > 0.01 || largest > 0.01 {
				t.Errorf("P(K) differs by %.4f, co-clustering by %.4f", variation, largest)
			}
		})
	}
}
