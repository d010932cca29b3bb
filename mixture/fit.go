package mixture

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Fit is the mixture that was fitted to a point estimate. Predict uses it for new rows. A Fit that was read from JSON
// gives the same predictions bit for bit.
type Fit struct {
	Degrees  float64         `json:"degrees,omitempty"` // ν, 0 for Gaussian rows
	Ranges   [][]float64     `json:"ranges"`            // [D], least and largest value of each column, or empty
	Seen     [][]bool        `json:"seen,omitempty"`    // [Q], which levels of each category are in the table
	Clusters []FittedCluster `json:"clusters"`

	encoder
	dim   int   // columns as the mixture sees them
	first []int // of the levels, see rows
}

// FittedCluster is one component of a Fit, in scaled columns. Clusters are in the order of Posterior.Labels.
type FittedCluster struct {
	Weight     float64   `json:"weight"`
	Rows       float64   `json:"rows"`                // expected number of rows
	Mean       []float64 `json:"mean"`                // of the columns that are used as numbers
	Covariance []float64 `json:"covariance"`          // lower triangle, row by row; of a t law the scale matrix
	LogLevels  []float64 `json:"logLevels,omitempty"` // log probabilities of the levels of all variables
}

// Prediction tells to which clusters of a Fit the rows of a table belong.
type Prediction struct {
	Labels []int32   // [N], the most probable cluster; −1 for a row far from all clusters
	Probs  []float64 // [N·K], probability of each cluster, given that the row is of one of them
	Beyond [][]int   // [N], columns whose value is outside the range of the fitted table: numbers, then categories
}

const (
	// FarChance is the probability with which a row of a cluster counts as far from the cluster.
	FarChance   = 1e-4
	beyondShare = 0.1  // a value is beyond the range of its column if it lies outside by this share of the range
	fewFreedom  = 10.0 // degrees of freedom of a cluster of one row, whose shape comes from other clusters
	fitBlock    = 4096 // rows that are predicted together
)

// newFit keeps a mixture, and the ranges and the levels of its table.
func newFit(t Table, e *encoder, m *em) *Fit {
	f := &Fit{encoder: *e}
	if !math.IsInf(m.nu, 1) {
		f.Degrees = m.nu
	}
	t = e.known(t)
	for d := range t.Columns() {
		ends := []float64{}
		if values := distinctOf(t.column(d)); len(values) > 0 {
			ends = append(ends, values[0], values[len(values)-1])
		}
		f.Ranges = append(f.Ranges, ends)
	}
	for _, c := range t.Categories {
		seen := make([]bool, c.Levels)
		for _, code := range c.Codes {
			if code >= 0 {
				seen[code] = true
			}
		}
		f.Seen = append(f.Seen, seen)
	}
	f.setShape()
	for k := range m.components {
		c := &m.components[k]
		cluster := FittedCluster{Weight: math.Exp(c.logWeight), Rows: m.sizes[k], Mean: c.mean, LogLevels: c.logLevel}
		for d := range f.dim {
			cluster.Covariance = append(cluster.Covariance, m.covariance[k][d*f.dim:d*f.dim+d+1]...)
		}
		f.Clusters = append(f.Clusters, cluster)
	}
	return f
}

// setShape fills dim and first, which follow from the encoder.
func (f *Fit) setShape() {
	r := f.encode(Table{Categories: make([]Category, len(f.Seen))}, false)
	f.dim, f.first = r.dim(), r.first
}

// nu returns the degrees of freedom, +Inf for Gaussian rows.
func (f *Fit) nu() float64 {
	if f.Degrees == 0 {
		return math.Inf(1)
	}
	return f.Degrees
}

// Predict returns the clusters of the rows of a table, which has the columns of the table that was clustered. Missing
// cells and unknown levels are ignored.
func (f *Fit) Predict(t Table) *Prediction {
	p := &Prediction{Beyond: make([][]int, t.Rows)}
	far := f.farDistances()
	for lo := 0; lo < t.Rows; lo += fitBlock {
		part := f.encoder.known(t.pick(upTo(lo, min(lo+fitBlock, t.Rows))))
		m := f.on(f.encoder.encode(part, false))
		m.expect()
		for i := range part.Rows {
			label, present := int32(-1), m.dim()-m.missingOf(i)
			for k, shares := range m.shares {
				p.Probs = append(p.Probs, shares[i])
				if m.distances[k][i] <= far[k][present] {
					label = int32(m.nearest(i))
				}
			}
			p.Labels = append(p.Labels, label)
			p.Beyond[lo+i] = f.beyond(part, i)
		}
	}
	return p
}

// on returns the fitted mixture, applied to other rows.
func (f *Fit) on(r *rows) *em {
	m := newEM(r.all(), len(f.Clusters), f.nu())
	for k, cluster := range f.Clusters {
		to := &m.components[k]
		to.logWeight = math.Log(cluster.Weight)
		copy(to.mean, cluster.Mean)
		copy(to.logLevel, cluster.LogLevels)
		m.sizes[k] = cluster.Rows
		packed := cluster.Covariance
		for d := range f.dim {
			copy(m.covariance[k][d*f.dim:], packed[:d+1])
			packed = packed[d+1:]
		}
		m.setFactor(k)
	}
	return m
}

// farDistances returns [K][D+1] the squared distance that a row of a cluster exceeds with probability FarChance, by the
// number of its present cells. A cluster of few rows has heavier tails, because its covariance is uncertain.
func (f *Fit) farDistances() [][]float64 {
	far := make([][]float64, len(f.Clusters))
	for k, cluster := range f.Clusters {
		n := max(cluster.Rows, 1)
		unsure := max(n+3, fewFreedom)
		wider := (n + float64(f.dim) + 2) / (n + 3) * (n + 1) / n
		freedom := 1 / (1/unsure + 1/f.nu())
		far[k] = []float64{math.Inf(1)}
		for d := 1; d <= f.dim; d++ {
			law := distuv.F{D1: float64(d), D2: freedom}
			far[k] = append(far[k], wider*float64(d)*law.Quantile(1-FarChance))
		}
	}
	return far
}

// beyond lists the columns in which row i lies outside the range of the table that was clustered.
func (f *Fit) beyond(t Table, i int) (columns []int) {
	for d, x := range t.row(i) {
		if len(f.Ranges[d]) == 0 {
			continue
		}
		least, largest := f.Ranges[d][0], f.Ranges[d][1]
		if margin := beyondShare * (largest - least); (x < least-margin || x > largest+margin) &&
			(margin == 0 || f.reads(d)) || f.hasNoLogarithm(d, x) {
			columns = append(columns, d)
		}
	}
	for q, c := range t.Categories {
		if code := c.Codes[i]; code >= 0 && (int(code) >= len(f.Seen[q]) || !f.Seen[q][code]) {
			columns = append(columns, len(f.Ranges)+q)
		}
	}
	return columns
}

// hasNoLogarithm reports whether a column is used by its logarithm, and x has none.
func (f *Fit) hasNoLogarithm(column int, x float64) bool {
	return slices.ContainsFunc(f.encoder.Numbers, func(n number) bool {
		return n.Column == column && n.Log && n.Sign*x+n.Shift <= 0 && !(n.Zeros && x == 0)
	})
}

// UnmarshalJSON decodes the JSON of a Fit. It returns an error for parts that do not fit together.
func (f *Fit) UnmarshalJSON(data []byte) error {
	type plain Fit
	*f = Fit{}
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	notTwo := func(ends []float64) bool { return len(ends) != 0 && len(ends) != 2 }
	if slices.ContainsFunc(f.Ranges, notTwo) || !f.encoder.fits(len(f.Ranges), len(f.Seen)) {
		return errShapes
	}
	f.setShape()
	return f.checkClusters()
}

// errShapes says that the parts of a saved mixture do not fit together. Damage is found by a checksum; these checks
// find files from other programs, with which Predict could read beyond the end of a slice.
var errShapes = errors.New("the columns, levels and clusters of the mixture do not fit together")

// checkClusters returns an error unless the clusters have the shapes of the columns and levels.
func (f *Fit) checkClusters() error {
	levels := f.first[len(f.first)-1]
	if len(f.Clusters) == 0 || f.dim+levels == 0 || !(f.Degrees >= 0) {
		return errShapes
	}
	for k, c := range f.Clusters {
		fits := len(c.Mean) == f.dim && len(c.Covariance) == f.dim*(f.dim+1)/2 && len(c.LogLevels) == levels &&
			c.Weight > 0 && c.Rows >= 0
		for d := 0; fits && d < f.dim; d++ {
			fits = c.Covariance[d*(d+3)/2] > 0
		}
		if !fits {
			return fmt.Errorf("cluster %d: %w", k+1, errShapes)
		}
	}
	return nil
}

// fits reports whether the encoder can read tables of so many columns of numbers and categories.
func (e *encoder) fits(width, categories int) bool {
	outside := func(column int) bool { return column < 0 || column >= width }
	fits := len(e.Categories) == categories
	for _, levels := range e.Categories {
		fits = fits && levels >= 0
	}
	for _, s := range e.Missing {
		fits = fits && !slices.ContainsFunc(s.Columns, outside)
	}
	for _, n := range e.Numbers {
		fits = fits && !outside(n.Column) && n.Scale > 0 && len(n.Knots) != 1 && slices.IsSorted(n.Knots)
	}
	for _, i := range slices.Concat(e.Indicators...) {
		fits = fits && (i.Category && i.Column >= 0 && i.Column < categories || !i.Category && !outside(i.Column))
	}
	for _, m := range e.Remainders {
		fits = fits && m.At >= 0 && m.At < len(e.Numbers) && len(m.Weights) == m.At && m.Scale > 0
	}
	if p := e.Projection; p != nil {
		fits = fits && len(p.Centre) == len(p.Axes) && len(p.Scale) == len(p.Axes)
		for _, axis := range p.Axes {
			fits = fits && len(axis) == len(e.Numbers)
		}
	}
	return fits
}
