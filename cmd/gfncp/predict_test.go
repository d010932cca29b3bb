package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
)

// saved clusters the workplace's points and keeps the clustering.
func (w workplace) saved(t *testing.T) string {
	t.Helper()
	path := w.path("c.json")
	done(t, w.line("cluster", "--quiet", "--samples", "15", "--columns", "x,y", "--save", path, w.points)...)
	return path
}

// predictions is the command line without --model: the clustering knows it.
func predictions(args ...string) []string {
	return append([]string{"predict", "--backend", "go"}, args...)
}

// JSON, file and report say the same of the same points, wherever the columns stand and whatever is beside them.
func TestPredictCommand(t *testing.T) {
	w := newWorkplace(t)
	c := w.saved(t)
	plain := w.write("plain.csv", "x,y\n0.5,0.2\n8,1\n100,-300\n")
	mixed := w.write("mixed.csv", "what,y,x,id\nred,0.2,0.5,1\ngreen,1,8,2\nblue,-300,100,3\n")
	stdout := printed(t, predictions("--json", "--out", w.path("o.csv"), c, plain)...)
	var p root.Prediction
	must.M(json.Unmarshal([]byte(stdout), &p))
	if len(p.Labels) != 3 || len(p.Probabilities[0]) != p.K+1 || p.Samples != 15 || p.Model != "tiny" {
		t.Errorf("%+v", p)
	}
	refused(t, "no saved clustering", predictions("--json", mixed, "--", c)...)
	if again, _ := done(t, predictions("--json", c, mixed)...); again != stdout {
		t.Errorf("columns in another place: %s, want %s", again, stdout)
	}
	rows := readCSV(w.path("o.csv"))
	if head := strings.Join(rows[0], ","); !strings.HasPrefix(head, "x,y,cluster,probability,p_0") ||
		!strings.HasSuffix(head, ",p_other,p_new") || len(rows) != 4 || len(rows[0]) != 4+p.K+2 {
		t.Errorf("head %q", head)
	}
	for i, row := range rows[1:] {
		number := func(j int) float64 { return must.M1(strconv.ParseFloat(row[j], 64)) }
		if int32(number(2)) != p.Labels[i] || number(3) != slices.Max(p.Probabilities[i]) ||
			number(len(row)-1) != p.NewCluster[i] || number(4) != p.Probabilities[i][0] {
			t.Errorf("row %v, but %v", row, p.Probabilities[i])
		}
	}
	report, _ := done(t, predictions(c, plain)...)
	contains(t, report, "plain.csv: 3 points, predicted from c.json: 30 points", "mean over 15 samples",
		"line 3 (8, 1)", strconv.FormatFloat(math.Round(1000*p.NewCluster[1])/1000, 'f', 3, 64))
}

// One line with file, column and remedy, and exit status 2.
func TestPredictCommandFaults(t *testing.T) {
	w := newWorkplace(t)
	c := w.saved(t)
	good := w.write("good.csv", "x,y\n1,2\n")
	for want, args := range map[string][]string{
		"takes RESULT NEW, but got 1 argument":                           {c},
		"points.csv: is no saved clustering":                             {w.points, good},
		"b.csv: has no column y, which the clustering has, but x":        {c, w.write("b.csv", "x,z\n1,2\n")},
		"d.csv: has no column x, y, which the clustering has, but":       {c, w.write("d.csv", "1,2\n")},
		`e.csv:3: column "y": the cell holds no number`:                  {c, w.write("e.csv", "x,y\n1,2\n1,\n")},
		"1 column in place of the 2 of the clustering; name as":          {"--columns", "x", c, good},
		"no such file or folder":                                         {c, w.path("none.csv")},
		"invalid value \"-1\" for flag --samples: choose a whole number": {"--samples", "-1", c, good},
		"--out would overwrite the input":                                {"--out", c, c, good},
		"made by other weights":                                          {"--model", "mog-ncp", c, good},
		"holds images, but the clustering is o":                          {c, newImageWorkplace(t).points},
	} {
		refused(t, want, predictions(args...)...)
	}
	done(t, predictions("--columns", "1,2", c, w.path("d.csv"))...)
	must.M(os.Remove(w.model))
	refused(t, "name the model that made the cluster", predictions(c, good)...)
}

// Images are predicted by the images that were clustered, and named in the report and the file.
func TestPredictImages(t *testing.T) {
	w := newImageWorkplace(t)
	c := w.path("c.json.gz")
	done(t, w.line("cluster", "--quiet", "--samples", "5", "--save", c, w.points)...)
	report, _ := done(t, predictions("--quiet", "--out", w.path("o.csv"), c, w.path("shots/right"))...)
	contains(t, report, "6 images, predicted from c.json.gz: 12 images", "  01.png\n")
	if text := string(must.M1(os.ReadFile(w.path("o.csv")))); !strings.HasPrefix(text, "image,cluster,probability,p") ||
		!strings.Contains(text, "\n11.png,") {
		t.Errorf("file\n%s", text)
	}
	refused(t, "holds points, but the clustering is of images",
		predictions(c, w.write("p.csv", "x,y\n1,2\n"))...)
}

// Points that 32 bits cannot hold as they are keep their clusters, and so do new ones beside them: shifted as far as
// time stamps are, both give what they give near 0.
func TestTimeStamps(t *testing.T) {
	w := newWorkplace(t)
	at := func(shift float64, from, to int) string {
		text := "t,y\n"
		for i := from; i < to; i++ {
			text += strconv.FormatFloat(shift+float64(i%3*16)+float64(i)/32, 'f', -1, 64) + "," +
				strconv.Itoa(i%3%2*10) + "." + strconv.Itoa(i*i%9) + "\n"
		}
		return text
	}
	var labels []string
	for _, shift := range []float64{0, 1.7e9} {
		c := w.path("c.json")
		file := w.write("p.csv", at(shift, 0, 36))
		r := result[clustering.Result](t, w.line("cluster", "--samples", "5", "--save", c, file)...)
		p := result[root.Prediction](t, predictions(c, w.write("one.csv", at(shift, 36, 37)))...)
		labels = append(labels, fmt.Sprint(r.K, r.Labels, p.Labels))
	}
	if labels[0] != labels[1] {
		t.Errorf("clusters %s, shifted %s", labels[0], labels[1])
	}
}
