package experiments

import (
	"strings"
	"testing"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/experiments/tablesets"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/train"
)

// The column of what cluster takes by itself: exact sampling's answer where it explains the points, or describes more
// of them than the model was trained on, else the model's with the seconds of both; none where the model has none.
func TestTablesByEvidence(t *testing.T) {
	s := &sheet{Lab: tablesLab(t)}
	s.Table = &table.Table{}
	s.Tables = &train.Model{Config: train.Config{Data: data.Config{NMax: 1}}}
	network := verdicts{
		name: "net", of: []*judged{{ARI: 0.1, Seconds: 5}, {ARI: 0.2, Seconds: 6}, {ARI: 0.3, Seconds: 7}, nil, {}},
		own: []*tableAnswer{{}, {LogProb: new(float64)}, {}, nil, {}},
	}
	exact := verdicts{
		name: exactTable,
		of:   []*judged{{ARI: 0.7, Seconds: 1}, {ARI: 0.8, Seconds: 2}, nil, {Seconds: 3}, {Seconds: 4}},
		own:  []*tableAnswer{{Explains: true}, {Describes: true}, nil, {}, {Describes: true}},
	}
	sets := make([]tablesets.Set, 5)
	sets[1].Labels, sets[4].Labels = make([]int32, 1), make([]int32, 2)
	v := s.chosenTables(sets, network, exact)
	for i, want := range []judged{
		{ARI: 0.7, Seconds: 1}, {ARI: 0.2, Seconds: 8}, {ARI: 0.3, Seconds: 7}, {}, {Seconds: 4},
	} {
		if i != 3 && *v.of[i] != want {
			t.Errorf("set %d: %+v, want %+v", i, *v.of[i], want)
		}
	}
	if v.err != nil || v.of[3] != nil || !v.own[0].Explains || v.own[1].Explains || v.own[1].LogProb != nil {
		t.Errorf("%+v", v)
	}
	notes := strings.Join(s.Table.Footnotes, "\n")
	if !strings.Contains(notes, "on 2 of the 4 sets; net on the others") {
		t.Errorf("footnotes %s", notes)
	}
}
