package fit

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gfncp/gfncp/mixture/em"
	"github.com/gfncp/gfncp/mixture/tables"
)

// Mixture is the mixture that was fitted to a point estimate. Predict uses it for new rows. A Mixture that was read
// from JSON gives the same predictions bit for bit.
type Mixture struct {
	Degrees  float64     `json:"degrees,omitempty"` // ν, 0 for Gaussian rows
	Ranges   [][]float64 `json:"ranges"`            // [D], least and largest value of each column, or empty
	Levels   []int       `json:"levels,omitempty"`  // [Q], number of levels of each category
	Clusters []Cluster   `json:"clusters"`

	tables.Encoder
	dim   int   // columns as the mixture sees them
	first []int // of the levels, see em.Rows
}

// Cluster is one component of a Mixture, in scaled columns. Clusters are in the order of Posterior.Labels.
type Cluster struct {
	Weight     float64   `json:"weight"`
	Rows       float64   `json:"rows"`                // expected number of rows
	Mean       []float64 `json:"mean"`                // of the columns that are used as numbers
	Covariance []float64 `json:"covariance"`          // [D·D], lower triangle; of a t law the scale matrix
	LogLevels  []float64 `json:"logLevels,omitempty"` // log probabilities of the levels of all variables
}

// Prediction tells to which clusters of a Mixture the rows of a table belong.
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

// New keeps a mixture, and the ranges and the levels of its table.
func New(t tables.Table, e *tables.Encoder, m *em.EM) *Mixture {
	f := &Mixture{Encoder: *e}
	if !math.IsInf(m.Nu, 1) {
		f.Degrees = m.Nu
	}
	t = e.Known(t)
	for d := range t.Columns() {
		ends := []float64{}
		if values := tables.DistinctOf(t.Column(d)); len(values) > 0 {
			ends = append(ends, values[0], values[len(values)-1])
		}
		f.Ranges = append(f.Ranges, ends)
	}
	for _, c := range t.Categories {
		f.Levels = append(f.Levels, c.Levels)
	}
	f.setShape()
	for k := range m.Components {
		c := &m.Components[k]
		cluster := Cluster{
			Weight: math.Exp(c.LogWeight), Rows: m.Sizes[k], Mean: c.Mean, Covariance: m.Covariance[k],
			LogLevels: c.LogLevel,
		}
		f.Clusters = append(f.Clusters, cluster)
	}
	return f
}

// setShape fills dim and first, which follow from the encoder.
func (f *Mixture) setShape() {
	r := f.Encode(tables.Table{Categories: make([]tables.Category, len(f.Levels))}, false)
	f.dim, f.first = r.Dim(), r.First
}

// nu returns the degrees of freedom, +Inf for Gaussian rows.
func (f *Mixture) nu() float64 {
	if f.Degrees == 0 {
		return math.Inf(1)
	}
	return f.Degrees
}

// Predict returns the clusters of the rows of a table, which has the columns of the table that was clustered. Missing
// cells and unknown levels are ignored.
func (f *Mixture) Predict(t tables.Table) *Prediction {
	p := &Prediction{Beyond: make([][]int, t.Rows)}
	far := f.farDistances()
	for lo := 0; lo < t.Rows; lo += fitBlock {
		part := f.Encoder.Known(t.Pick(em.UpTo(lo, min(lo+fitBlock, t.Rows))))
		m := f.on(f.Encoder.Encode(part, false))
		m.Expect()
		for i := range part.Rows {
			label, present := int32(-1), m.Dim()-m.MissingOf(i)
			for k, shares := range m.Shares {
				p.Probs = append(p.Probs, shares[i])
				if m.Distances[k][i] <= far[k][present] {
					label = int32(m.Nearest(i))
				}
			}
			p.Labels = append(p.Labels, label)
			p.Beyond[lo+i] = f.beyond(part, i)
		}
	}
	return p
}

// on returns the fitted mixture, applied to other rows.
func (f *Mixture) on(r *em.Rows) *em.EM {
	m := em.New(r.All(), len(f.Clusters), f.nu())
	for k, cluster := range f.Clusters {
		to := &m.Components[k]
		to.LogWeight = math.Log(cluster.Weight)
		copy(to.Mean, cluster.Mean)
		copy(to.LogLevel, cluster.LogLevels)
		m.Sizes[k] = cluster.Rows
		copy(m.Covariance[k], cluster.Covariance)
		m.SetFactor(k)
	}
	return m
}

// farDistances returns [K][D+1] the squared distance that a row of a cluster exceeds with probability FarChance, by the
// number of its present cells. A cluster of few rows has heavier tails, because its covariance is uncertain.
func (f *Mixture) farDistances() [][]float64 {
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
func (f *Mixture) beyond(t tables.Table, i int) (columns []int) {
	for d, x := range t.Row(i) {
		if len(f.Ranges[d]) == 0 {
			continue
		}
		least, largest := f.Ranges[d][0], f.Ranges[d][1]
		if margin := beyondShare * (largest - least); (x < least-margin || x > largest+margin) &&
			(margin == 0 || f.Reads(d)) || f.hasNoLogarithm(d, x) {
			columns = append(columns, d)
		}
	}
	for q, c := range t.Categories {
		if int(c.Codes[i]) >= f.Levels[q] {
			columns = append(columns, len(f.Ranges)+q)
		}
	}
	return columns
}

// hasNoLogarithm reports whether a column is used by its logarithm, and x has none.
func (f *Mixture) hasNoLogarithm(column int, x float64) bool {
	return slices.ContainsFunc(f.Encoder.Numbers, func(n tables.Numeric) bool {
		return n.Column == column && n.Log && n.Sign*x+n.Shift <= 0 && !(n.Zeros && x == 0)
	})
}

// UnmarshalJSON decodes the JSON of a Mixture. It returns an error for parts that do not fit together: Predict would
// read beyond the end of a slice, or return no probabilities, as its trial on one row does. (A checksum finds damage.)
func (f *Mixture) UnmarshalJSON(data []byte) (err error) {
	type plain Mixture
	*f = Mixture{}
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	odd := errors.New("the columns, levels and clusters of the mixture do not fit together")
	defer func() {
		if recover() != nil {
			err = odd
		}
	}()
	row := tables.Table{Rows: 1, Numbers: make([]float64, len(f.Ranges))}
	for range f.Levels {
		row.Categories = append(row.Categories, tables.Category{Codes: []int32{0}})
	}
	f.setShape()
	if total := floats.Sum(f.Predict(row).Probs); !(math.Abs(total-1) <= 1e-6) {
		return odd
	}
	return nil
}
