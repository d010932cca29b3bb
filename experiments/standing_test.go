package experiments_test

import (
	"testing"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
)

// Each of the paper's cells counts once, by the best of our rows beside it, as the paper prints numbers; what does not
// compare, what the paper lacks and other metrics do not count.
func TestStanding(t *testing.T) {
	std := 0.03
	paper := &table.Value{Mean: 0.73, Std: &std}
	cell := func(data, metric, model string, ours float64) table.Cell {
		return table.Cell{Data: data, Metric: metric, Model: model, Paper: paper, Ours: &table.Value{Mean: ours}}
	}
	missing := table.Cell{Data: "c", Metric: "ARI", Model: "NCP", Paper: paper}
	other := cell("d", "NMI", "NCP", 0.9)
	other.Incomparable = true
	ours := cell("d", "ARI", "NCP", 0.9)
	ours.Paper = nil
	got := experiments.StandingOf("", &table.Table{ID: "table3", Cells: []table.Cell{
		cell("a", "NMI", "GFNCP (paper)", 0.5), cell("a", "NMI", "GFNCP (warm start)", 0.7251),
		cell("a", "ARI", "DAC (anchored)", 0.6951), cell("a", "ARI", "DAC (min-filtering)", 0.2),
		cell("b", "NMI", "ST", 0.694), cell("b", "MC", "NCP", 0.9), missing, other, ours,
	}}, &table.Table{ID: "table5", Cells: []table.Cell{
		cell("a", "NMI", "NCP", 0.5), cell("a", "NMI at T 0.05", "NCP", 0.9), cell("a", "NMI greedy", "NCP", 0.1),
	}}, &table.Table{ID: "table6", Cells: []table.Cell{
		cell("a", "NMI", "online", 0.1), cell("a", "NMI", "online (free flows; images: walks)", 0.8),
	}})
	if want := (experiments.Standing{Reached: 3, Within: 1, Below: 2, Missing: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
