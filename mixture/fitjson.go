package mixture

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// savedFit is a Fit as JSON, which has no infinity and no NaN.
type savedFit struct {
	Degrees    float64         `json:"degrees,omitempty"` // 0 for Gaussian rows
	Ranges     [][]float64     `json:"ranges"`            // empty without a value
	Seen       [][]bool        `json:"seen,omitempty"`
	Numbers    []savedNumber   `json:"numbers,omitempty"`
	Indicators [][]savedLevel  `json:"indicators,omitempty"`
	Categories []int           `json:"categories,omitempty"`
	Sentinels  []Sentinel      `json:"sentinels,omitempty"`
	Projection *projection     `json:"projection,omitempty"`
	Clusters   []FittedCluster `json:"clusters"`
}

type savedNumber struct {
	Column int       `json:"column"`
	Log    bool      `json:"log,omitempty"`
	Sign   float64   `json:"sign,omitempty"`
	Shift  float64   `json:"shift,omitempty"`
	Zeros  bool      `json:"zeros,omitempty"`
	Knots  []float64 `json:"knots,omitempty"`
	Centre float64   `json:"centre"`
	Scale  float64   `json:"scale"`
}

type savedLevel struct {
	Column int     `json:"column"`
	Off    float64 `json:"off"`
	On     float64 `json:"on"`
	Rest   bool    `json:"rest,omitempty"`
}

// MarshalJSON returns all that Predict needs.
func (f *Fit) MarshalJSON() ([]byte, error) {
	saved := savedFit{
		Seen: f.Seen, Categories: f.encoder.categories, Sentinels: f.encoder.sentinels, Clusters: f.Clusters,
	}
	saved.Projection = f.encoder.projection
	if !math.IsInf(f.Degrees, 1) {
		saved.Degrees = f.Degrees
	}
	for _, r := range f.Ranges {
		if math.IsNaN(r[0]) {
			saved.Ranges = append(saved.Ranges, []float64{})
		} else {
			saved.Ranges = append(saved.Ranges, r[:])
		}
	}
	for _, n := range f.encoder.numbers {
		saved.Numbers = append(saved.Numbers, savedNumber{
			Column: n.column, Log: n.log, Sign: n.sign, Shift: n.shift, Zeros: n.zeros, Knots: n.knots,
			Centre: n.centre,
			Scale:  n.scale,
		})
	}
	for _, variable := range f.encoder.indicators {
		var levels []savedLevel
		for _, i := range variable {
			levels = append(levels, savedLevel{i.column, i.off, i.on, i.rest})
		}
		saved.Indicators = append(saved.Indicators, levels)
	}
	return json.Marshal(saved)
}

// UnmarshalJSON reads what MarshalJSON wrote. It returns an error for shapes that do not fit one another.
func (f *Fit) UnmarshalJSON(data []byte) error {
	var saved savedFit
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	*f = Fit{Degrees: saved.Degrees, Seen: saved.Seen, Clusters: saved.Clusters}
	f.encoder = &encoder{sentinels: saved.Sentinels}
	if saved.Degrees == 0 {
		f.Degrees = math.Inf(1)
	}
	for _, r := range saved.Ranges {
		switch len(r) {
		case 0:
			f.Ranges = append(f.Ranges, [2]float64{math.NaN(), math.NaN()})
		case 2:
			f.Ranges = append(f.Ranges, [2]float64{r[0], r[1]})
		default:
			return fmt.Errorf("a range has %d ends, want 2", len(r))
		}
	}
	if err := f.readEncoder(&saved); err != nil {
		return err
	}
	return f.validate()
}

func (f *Fit) readEncoder(saved *savedFit) error {
	e, width := f.encoder, len(f.Ranges)
	inTable := func(column int) bool { return column >= 0 && column < width }
	for _, s := range e.sentinels {
		if slices.ContainsFunc(s.Columns, func(d int) bool { return !inTable(d) }) {
			return fmt.Errorf("the missing value %g is in a column that is none", s.Value)
		}
	}
	for _, n := range saved.Numbers {
		if !inTable(n.Column) || !(n.Scale > 0) || len(n.Knots) == 1 || !slices.IsSorted(n.Knots) {
			return fmt.Errorf("column %d of %d with scale %g is none", n.Column+1, width, n.Scale)
		}
		e.numbers = append(e.numbers, number{
			column: n.Column, log: n.Log, sign: n.Sign, shift: n.Shift, zeros: n.Zeros, knots: n.Knots,
			centre: n.Centre, scale: n.Scale,
		})
	}
	f.first = []int{0}
	add := func(levels int) {
		if levels > 0 {
			f.first = append(f.first, f.first[len(f.first)-1]+levels)
		}
	}
	for _, levels := range saved.Indicators {
		var variable []indicator
		for _, l := range levels {
			if !inTable(l.Column) {
				return fmt.Errorf("column %d of %d is none", l.Column+1, width)
			}
			variable = append(variable, indicator{l.Column, l.Off, l.On, l.Rest})
		}
		e.indicators = append(e.indicators, variable)
		add(max(len(variable), 2))
	}
	for _, levels := range saved.Categories {
		if levels < 0 {
			return fmt.Errorf("a category has %d levels", levels)
		}
		add(levels)
	}
	e.categories, f.dim = saved.Categories, len(e.numbers)
	if p := saved.Projection; p != nil {
		if err := p.validate(len(e.numbers)); err != nil {
			return err
		}
		e.projection, f.dim = p, len(p.Axes)
	}
	return nil
}

// validate compares the clusters' shapes with the columns.
func (f *Fit) validate() error {
	if len(f.Clusters) == 0 || f.dim+len(f.first) == 1 {
		return errors.New("no cluster or no column")
	}
	if !(f.Degrees > 0) || len(f.encoder.categories) != len(f.Seen) {
		return fmt.Errorf("%g degrees of freedom, %d categories but levels of %d", f.Degrees,
			len(f.encoder.categories), len(f.Seen))
	}
	levels := f.first[len(f.first)-1]
	for k, c := range f.Clusters {
		if len(c.Mean) != f.dim || len(c.Covariance) != f.dim*(f.dim+1)/2 || len(c.LogLevels) != levels {
			return fmt.Errorf("cluster %d: %d means, %d covariances, %d levels for %d columns and %d levels", k+1,
				len(c.Mean), len(c.Covariance), len(c.LogLevels), f.dim, levels)
		}
		if !(c.Weight > 0) || !(c.Rows >= 0) {
			return fmt.Errorf("cluster %d: weight %g of %g rows", k+1, c.Weight, c.Rows)
		}
		for d := range f.dim {
			if !(c.Covariance[d*(d+3)/2] > 0) {
				return fmt.Errorf("cluster %d, column %d: no variance", k+1, d+1)
			}
		}
	}
	return nil
}
