package mixture

// Options of Sample; the zero value has defaults for all.
type Options struct {
	Seed  uint64
	Work  float64 // most rows × sweeps, of all chains together; 0 means about ten seconds of one core
	Draws int     // most partitions that are kept; 0 means 1,000

	// What is known of the clusters beside the table. The posterior is that of the model given all of it.
	Least, Most int      // clusters, 0 for free; with either, all count and none is outlying rows
	Together    [][2]int // pairs of rows, from 0, that are in one cluster
	Apart       [][2]int // pairs of rows that are in different clusters
	Given       []int32  // [N], labels: equal ones are together, different ones apart; −1 where unknown
	// Weights [N] count rows: a row of weight 3 is three equal rows that are together. Any number above 0 will do: it
	// is the power of the row's likelihood. Weights are not scaled, so that small ones are few data.
	Weights []float64

	Progress func(Progress) // called after each block of sweeps; nil for none
}

// Progress is where a run stands.
type Progress struct {
	Sweeps, MostSweeps int // of each chain: done; allowed by the budget
	Convergence        Convergence
}

// withDefaults fills in what is not above 0.
func (o Options) withDefaults(r *rows) Options {
	const usualDraws = 1000
	if o.Work <= 0 {
		o.Work = usualWork(r)
	}
	if o.Draws <= 0 {
		o.Draws = usualDraws
	}
	return o
}

// usualWork is what ten seconds of one core do, from BenchmarkSweep: about (.5 + .13·D) µs a row and sweep, and with
// few rows .1·D³ µs a sweep.
func usualWork(r *rows) float64 {
	const seconds, row, column, cubic = 10, 0.5e-6, 0.13e-6, 1e-7
	d := float64(r.dim())
	return seconds / max(row+column*(d+float64(r.variables())), cubic*d*d*d/float64(r.n))
}
