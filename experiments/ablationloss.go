package experiments

import (
	"fmt"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/losses"
)

// ablationLoss replaces marginal consistency by the balance losses of flow networks, on the same energies.
var ablationLoss = ablation{
	id: "ablation-loss", title: "Objectives on the same energies",
	shows:    "what marginal consistency brings over the balance losses of flow networks",
	built:    "MoG for the likelihood, MC, DB, TB and SubTB from scratch, and MC and TB with a warm start",
	expect:   "smoke: half a minute on 2 cores",
	groups:   lossGroups,
	metrics:  []string{"NMI", "ARI", "MC", "MC_last"},
	measures: []measure{measureSDPP, measureLaw},
	curves:   []validationCurve{nmiCurve, clustersCurve},
	notes:    lossNotes,
}.experiment()

// lossGroups are the rows: each loss as the paper trains, then two after a likelihood warm-up.
func lossGroups(s Scale) []ablationGroup {
	group := ablationGroup{Name: "MoG", Rows: []NamedConfig{{"Likelihood (NCP)", s.ablation(ncp)}}}
	add := func(name, balance string, from method) {
		c := s.ablation(from)
		c.Loss.Balance = balance
		group.Rows = append(group.Rows, NamedConfig{name, c})
	}
	add("MC (paper)", "", coldGFNCP)
	for _, b := range losses.Balances()[1:] {
		add(b.Title, b.Name, coldGFNCP)
	}
	add("MC, warm start", "", warmGFNCP)
	add("TB, warm start", losses.TB, warmGFNCP)
	return []ablationGroup{group}
}

func lossNotes(lab *Lab) []string {
	sdppSets, orders, lawSets := lab.Scale.ablationSizes()
	return append(ablationNotes(lab),
		"All rows but the first keep CD, Reg and the gauge as the paper's objective has them; only the loss that asks for balanced flows differs. DB is MC, term by term (docs/training.md): their rows differ by rounding alone, which shows what rounding does to a run; while their curves coincide, DB's covers that of MC.",
		"Warm start: half of the steps by likelihood, then the full objective with a likelihood term of weight 1.",
		fmt.Sprintf("MC is the exact sum over n = 2..N on the true labels, whatever the training minimizes, and MC_last its term n = N. SDPP: %d sets of %d points, %d orders, the data's labels. KL a point: KL(exact‖model) in nats a point on %d sets of %d points, where the posterior of CRP(%g) is enumerated; such sets are smaller than any of the training.",
			sdppSets, evaluation.SDPPPoints, orders, lawSets, exactPoints, mogData.Alpha),
	)
}

// ablationNotes say how all rows of an ablation are trained and tested.
func ablationNotes(lab *Lab) []string {
	c, where := lab.Scale.ablation(coldGFNCP), lab.Scale.ablationTest()
	return []string{
		fmt.Sprintf("Trained on MoG, CRP(%g): %d sets a step with N = %d..%d, %d steps, no shipped weights (paper: 64 sets, 100..1000, 5,000 steps). Test: %d sets of %d points, greedy decoding, weights of lowest validation loss, which is each row's own loss.",
			mogData.Alpha, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, where.Sets, where.Data.NMin),
	}
}
