package experiments_test

import (
	"math"
	"testing"
)

// Exactness, with networks of a few steps: the exact law is at distance 0 from itself, the networks' are not, every
// number is finite, and a second call reuses everything.
func TestExactness(t *testing.T) {
	lab := smokeLab(t)
	product := reproduced(t, lab, "exactness")
	for _, cell := range product.Table.Cells {
		distance := cell.Metric == "KL" || cell.Metric == "TV" || cell.Metric == "co-clustering"
		switch {
		case cell.Ours == nil || math.IsNaN(cell.Ours.Mean) || math.IsInf(cell.Ours.Mean, 0):
			t.Errorf("cell %+v", cell)
		case distance && cell.Model == "Exact" && cell.Ours.Mean != 0:
			t.Errorf("the exact law is at distance %g from itself: %+v", cell.Ours.Mean, cell)
		case distance && cell.Model != "Exact" && cell.Model != "Gibbs" && cell.Ours.Mean <= 0.001:
			t.Errorf("an untrained network is at distance %g: %+v", cell.Ours.Mean, cell)
		case cell.Metric == "E[K]" && (cell.Ours.Mean < 1 || cell.Ours.Mean > 100):
			t.Errorf("expected K: %+v", cell)
		}
	}
	if len(product.Table.Cells) != 5*7+5*5 || len(product.Figures) != 2 {
		t.Errorf("%d cells and %d pictures", len(product.Table.Cells), len(product.Figures))
	}
	checkReused(t, lab, "exactness", product)
}

// Table 1: what follows from how a model is built comes out whatever its weights are.
func TestTable1(t *testing.T) {
	verdicts := map[string]map[string]float64{}
	for _, cell := range reproduced(t, smokeLab(t), "table1").Table.Cells {
		if cell.Metric != "holds" {
			continue
		}
		if cell.Ours == nil || cell.Ours.Mean != 0 && cell.Ours.Mean != 1 ||
			cell.Paper != nil && cell.Paper.Mean != 0 && cell.Paper.Mean != 1 {
			t.Errorf("verdict %+v", cell)
			continue
		}
		if verdicts[cell.Data] == nil {
			verdicts[cell.Data] = map[string]float64{}
		}
		verdicts[cell.Data][cell.Model] = cell.Ours.Mean
	}
	for property, want := range map[string]map[string]float64{
		"order invariance":       {"ST": 1, "DAC": 1},
		"unlimited components":   {"ST": 0},
		"arbitrary likelihood":   {"ST": 0},
		"assignment probability": {"ST": 0, "DAC": 0, "NCP": 1, "GFNCP": 1},
		"well-defined posterior": {"ST": 0, "DAC": 0, "NCP": 1, "GFNCP": 1},
	} {
		for model, mark := range want {
			if got, ok := verdicts[property][model]; !ok || got != mark {
				t.Errorf("%s of %s: %g, want %g", property, model, got, mark)
			}
		}
	}
}
