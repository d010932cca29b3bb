package tables

import (
	"math"
	"slices"

	"github.com/gfncp/gfncp/mixture/em"
)

const (
	evidenceCells = 8000 // of a table whose evidence is estimated, which has at least 300 and at most 1,000 rows
	zerosGain     = 10.0 // of log evidence that a change of the zeros of one column must bring
	mostFlips     = 12   // most skewed columns that are tried one by one
	mostToFlip    = 20   // most columns of a table in which columns are tried one by one
)

// EvidenceGain is the log evidence that another form or law must bring.
const EvidenceGain = 3.0

// form is how a column is used as a number.
type form struct {
	log   bool // by its logarithm
	zeros bool // zero or not is a category, and the zeros are missing numbers
}

// ChooseForms decides by evidence which skewed columns are replaced by their logarithms, and in which columns many
// zeros become a category. evidence returns the log evidence of rows, up to a constant.
func (e *Encoder) ChooseForms(t Table, evidence func(*em.Rows) float64) {
	t = e.Known(t)
	var zeros []int
	skewed := false
	for i := range e.Numbers {
		skewed = skewed || e.Numbers[i].skewed
		if e.Numbers[i].manyZeros(t) {
			zeros = append(zeros, i)
		}
	}
	if len(zeros) < 2 || len(e.Numbers) > mostToFlip { // in one column alone the zeros are a cluster
		zeros = nil
	}
	if !skewed && len(zeros) == 0 || e.Projection != nil {
		return
	}
	part := e.EvidenceRows(t)
	e.take(t, e.bestForms(t, zeros, func() float64 { return e.evidence(part, evidence) }))
}

// bestForms searches the forms with the most evidence. It first tries all or none of the logarithms, and of the zeros
// as categories, and then one column after the other, if they are few. The encoder has the last forms that were tried.
func (e *Encoder) bestForms(t Table, zeros []int, evidence func() float64) (now []form) {
	best := math.Inf(-1)
	try := func(forms []form, gain float64) {
		e.take(t, forms)
		if found := evidence(); found > best+gain {
			now, best = forms, found
		}
	}
	none, parted := make([]form, len(e.Numbers)), make([]form, len(e.Numbers))
	for _, i := range zeros {
		parted[i].zeros = true
	}
	for _, forms := range slices.CompactFunc([][]form{none, parted}, slices.Equal) {
		try(forms, EvidenceGain)
		logs := slices.Clone(forms)
		for i, n := range e.Numbers {
			logs[i].log = n.skewed
		}
		if !slices.Equal(logs, forms) {
			try(logs, EvidenceGain)
		}
	}
	if len(e.Numbers) > mostToFlip {
		return now
	}
	for _, i := range zeros {
		forms := slices.Clone(now)
		forms[i].zeros = !forms[i].zeros
		try(forms, zerosGain)
	}
	e.take(t, now)
	var skewed []int
	for i, n := range e.Numbers {
		if n.skewed {
			skewed = append(skewed, i)
		}
	}
	if len(skewed) < 2 || len(skewed) > mostFlips {
		return now
	}
	for _, i := range skewed {
		forms, gain := slices.Clone(now), EvidenceGain
		if forms[i].log = !forms[i].log; !forms[i].log { // the simpler form may have a little less evidence
			gain = -EvidenceGain
		}
		try(forms, gain)
	}
	return now
}

// take uses the columns in these forms.
func (e *Encoder) take(t Table, forms []form) {
	for i, f := range forms {
		n := &e.Numbers[i]
		if n.Zeros != f.zeros {
			n.Zeros = f.zeros
			e.Variables = slices.DeleteFunc(e.Variables, func(v variable) bool {
				return len(v.Indicators) == 1 && v.Indicators[0].Rest && v.Indicators[0].Column == n.Column
			})
			if n.Zeros {
				zero := variable{Indicators: []indicator{{Column: n.Column, On: 0, Rest: true}}}
				at := slices.IndexFunc(e.Variables, func(v variable) bool { return v.Levels > 0 })
				if at < 0 {
					at = len(e.Variables)
				}
				e.Variables = slices.Insert(e.Variables, at, zero)
			}
			n.fit(t)
		}
		if log := f.log && n.skewed; n.Log != log {
			n.Log = log
			n.fitScale(t)
		}
		switch {
		case n.Zeros:
			e.Uses[n.Column] = ManyZeros
		case n.Log:
			e.Uses[n.Column] = Logarithm
		default:
			e.Uses[n.Column] = Number
		}
	}
	e.fitRemainders(t)
}

// EvidenceRows returns the rows from which the evidence is estimated.
func (e *Encoder) EvidenceRows(t Table) Table {
	return t.Runs(min(1000, max(300, evidenceCells/max(len(e.Numbers), 1))), 1)
}

// evidence returns the log evidence of a table in its own units: the log evidence of its rows plus the log Jacobian.
func (e *Encoder) evidence(t Table, ofRows func(*em.Rows) float64) float64 {
	r := e.Encode(t, true)
	log := ofRows(r)
	low := make([][]float64, len(e.Numbers))
	for _, cells := range r.Rounded {
		low[cells.Column] = cells.Low
	}
	for i := range e.Numbers {
		log += e.Numbers[i].logJacobian(t, low[i])
	}
	for _, m := range e.Remainders {
		log -= float64(t.Rows) * math.Log(m.Scale)
	}
	return log
}
