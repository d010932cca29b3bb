package experiments

import (
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/losses"
)

// ablationLoss replaces marginal consistency by the balance losses of flow networks, on the same energies.
var ablationLoss = ablation{
	groups:   lossGroups,
	metrics:  []string{"NMI", "ARI", "MC", "MC_last"},
	measures: []measure{measureSDPP, measureExactness},
	curves:   []validationCurve{nmiCurve, clustersCurve},
	notes:    lossNotes,
}.experiment(Experiment{
	ID: "ablation-loss", Title: "Objectives on the same energies",
	Shows:  "what marginal consistency brings over the balance losses of flow networks",
	Built:  "MoG for the likelihood, MC, DB, TB and SubTB from scratch, and MC and TB with a warm start",
	Expect: "smoke: half a minute on 2 cores",
})

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

func lossNotes(s *sheet) {
	trainingNote(s)
	s.note(`All rows but the first keep CD, Reg and the gauge as the paper's objective has them; only the loss that asks for
		balanced flows differs. DB is MC, term by term (docs/training.md): their rows differ by rounding alone, which shows what
		rounding does to a run; while their curves coincide, DB's covers that of MC.

		Warm start: half of the steps by likelihood, then the full objective with a likelihood term of weight 1.

		MC is the exact sum over n = 2..N on the true labels, whatever the training minimizes, and MC_last its term n = N. SDPP:
		%d sets of %d points, %d orders, the data's labels. KL a point: KL(exact‖model) in nats a point on %d sets of %d points,
		where the posterior of CRP(%g) is enumerated; such sets are smaller than any of the training.`,
		s.Scale.ablationSDPPSets(), evaluation.SDPPPoints, s.Scale.ablationOrders(), s.Scale.ablationLawSets(), exactPoints,
		mogData.Alpha)
}

// trainingNote says how all rows of an ablation are trained and tested.
func trainingNote(s *sheet) {
	c, where := s.Scale.ablation(coldGFNCP), s.Scale.ablationTest()
	s.note(`Trained on MoG, CRP(%g): %d sets a step with N = %d..%d, %d steps, no shipped weights (paper: 64 sets, 100..1000,
		5,000 steps). Test: %d sets of %d points, greedy decoding, weights of lowest validation loss, which is each row's own
		loss.`, mogData.Alpha, c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Train.Steps, where.Sets, where.Data.NMin)
}
