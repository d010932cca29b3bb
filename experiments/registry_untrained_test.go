package experiments_test

import (
	"context"
	"os"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/train"
)

// What an experiment would train can be known before: afterwards nothing is missing, and looking leaves no trace.
func TestUntrained(t *testing.T) {
	lab := smokeLab(t)
	lab.Only = []string{"mog", "ncp", "gfncp", "oracle"}
	e := must.M1(experiments.Find("table3"))
	missing := must.M1(e.Untrained(context.Background(), lab))
	if entries := must.M1(os.ReadDir(lab.Runs)); len(missing) != 5 || len(entries) > 0 {
		t.Fatalf("%d runs are missing, want NCP and GFNCP under four starts; left %v", len(missing), entries)
	}
	must.M1(train.Run(context.Background(), lab.Backend, sources.Source,
		missing[1].Config, missing[1].Dir, train.Listener{}))
	if now := must.M1(e.Untrained(context.Background(), lab)); len(now) != 4 ||
		now[0].Dir != missing[0].Dir || now[1].Dir != missing[2].Dir {
		t.Errorf("after the second run, missing: %+v", now)
	}
	must.M1(e.Reproduce(context.Background(), lab))
	if now := must.M1(e.Untrained(context.Background(), lab)); len(now) != 0 {
		t.Errorf("afterwards missing: %+v", now)
	}
}
