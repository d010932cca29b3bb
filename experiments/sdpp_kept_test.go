package experiments

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/models"
)

// Values are kept in parts: what is there is not measured again, and more sets continue fewer.
func TestSDPPIsKept(t *testing.T) {
	net := smallNetwork(models.Config{Dim: 2, Hidden: 8, Embed: 4, Global: 4})
	c := data.DefaultMoG().HeldOut(2, 9, 0)
	c.Batch = 3
	r := &evaluation.Reader{Net: net, Source: must.M1(data.NewMoG(c))}
	ctx := context.Background()
	for _, labels := range labelRules {
		rule := evaluation.SDPP{Labels: labels, Orders: 20, Seed: 5}
		whole := must.M1(rule.Values(ctx, r, 0, 0, 17))
		dir := t.TempDir()
		open := func() (*evaluation.Reader, error) { return r, nil }
		closed := func() (*evaluation.Reader, error) { return nil, errors.New("opened again") }
		some := must.M1(keptSDPP(ctx, rule, dir, c, 16, open)) // a part of 15, and one
		again := must.M1(keptSDPP(ctx, rule, dir, c, 16, closed))
		more := must.M1(keptSDPP(ctx, rule, dir, c, 17, open))
		if !slices.Equal(some, whole[:16]) || !slices.Equal(again, some) || !slices.Equal(more, whole) {
			t.Errorf("%s: kept %v, again %v, more %v, want %v", labels, some, again, more, whole)
		}
	}
}

// Two models are compared set by set: equal differences have no error.
func TestPairedSDPP(t *testing.T) {
	s := &sheet{Product: Product{Table: &table.Table{}}}
	values := func(v ...float64) measurement[sdppValues] {
		return measurement[sdppValues]{value: sdppValues{evaluation.DataLabels: v}}
	}
	addPaired(s, mnistData, map[method]measurement[sdppValues]{
		coldGFNCP: values(1, 2, 4), ncp: values(0.5, 1.5, 3.5), freeGFNCP: values(1, 2),
	})
	want := "MNIST, data, set by set: SDPP of GFNCP (paper) minus that of NCP is 0.500 ± 0.000, " +
		"the mean of 3 sets with its standard error."
	if !slices.Equal(s.Table.Footnotes, []string{want}) {
		t.Errorf("footnotes %q", s.Table.Footnotes)
	}
}
