package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/train"
)

// An untrained network is far from the exact posterior: the check finds it, and ends with status 0. JSON tells the
// same.
func TestCheckCommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	trainTiny(t, dir)
	args := []string{
		"check", dir, "--points", "12", "--sets", "60", "--draws", "15", "--chains", "16", "--backend", "go",
	}
	stdout, stderr, status := gfncp(args...)
	for _, want := range []string{
		"run on mixtures of Gaussians, 12 points", "trained on sets of 5 to 10 points, not of 12",
		"log p(c,x)", "differs\n", "of 5 statistics differ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
	if status != exitDone || !strings.Contains(stderr, "sets 60 of 60\n") ||
		!strings.Contains(stderr, "steps 20 of 20\n") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	stdout, stderr, status = gfncp(append(args, "--json", "--quiet")...)
	var r struct {
		SchemaVersion int    `json:"schema_version"`
		Model         string `json:"model"`
		Backend       string `json:"backend"`
		Sets          int    `json:"sets"`
		Differ        int    `json:"differ"`
		Statistics    []struct {
			Name string   `json:"name"`
			P    *float64 `json:"chi_square_p"`
			Z    *float64 `json:"geweke_z"`
		} `json:"statistics"`
	}
	must.M(json.Unmarshal([]byte(stdout), &r))
	if status != exitDone || stderr != "" || r.SchemaVersion != 1 || r.Model != "run" ||
		r.Backend != "go" || r.Sets != 60 || r.Differ == 0 ||
		len(r.Statistics) != 5 || r.Statistics[0].Name != "clusters" ||
		r.Statistics[4].P == nil || r.Statistics[4].Z == nil {
		t.Errorf("status %d, stderr %q, report %s", status, stderr, stdout)
	}
}

// What cannot be checked is one line with the reason, and status 2.
func TestCheckCommandFaults(t *testing.T) {
	st := filepath.Join(t.TempDir(), "st.safetensors")
	c := train.Default(train.ST)
	must.M(train.WriteModel(st,
		&train.Model{Config: c, Params: c.Layout().Init(data.Rand(1, "init", 0)), Card: train.Card{Name: "mine"}}))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"check"}, "takes one argument, RUN"},
		{[]string{"check", "none"}, "none: is neither a file"},
		{[]string{"check", "mnist-ncp"}, `mnist-ncp was trained on data of source "mnist"`},
		{[]string{"check", st}, "mine (ST) gives one clustering"},
		{[]string{"check", "mog-ncp", "--sets", "3"}, "sets is 3"},
		{[]string{"check", "mog-ncp", "--points", "-1"}, "--points -1 is out of range"},
	} {
		stdout, stderr, status := gfncp(test.args...)
		if status != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("gfncp %q: status %d, stdout %q, stderr %q; want status 2 and one line with %q",
				test.args, status, stdout, stderr, test.want)
		}
	}
}

func TestWriteCheck(t *testing.T) {
	if got := bars([]int{0, 1, 4, 8, 2}); got != " ▁▄█▂" {
		t.Errorf("bars %q", got)
	}
	for p, want := range map[float64]string{0: "<1e-99", 3.4e-12: "3e-12", 0.0456: "0.046", 1: "1.000"} {
		if got := pValue(p); got != want {
			t.Errorf("p of %v is %q, want %q", p, got, want)
		}
	}
	var out bytes.Buffer
	exact := evaluation.CheckStatistic{Name: "clusters", Histogram: []int{5, 5}, ChiP: 1, KSP: 0.5, GewekeZ: -0.26}
	report := &evaluation.CheckReport{Sets: 10, Level: 0.01 / 3, Statistics: []evaluation.CheckStatistic{exact}}
	must.M(writeReport(&out, "check", checkView(checked{CheckReport: report})))
	for _, want := range []string{
		"██      1.000   0.500      -0.3  consistent with exact\n", "1 %/3 = 0.0033", "no statistic differs",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}
