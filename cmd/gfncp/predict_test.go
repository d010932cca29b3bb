package main

import (
	"bytes"
	"encoding/csv"
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
	args := []string{"--quiet", "--samples", "15", "--columns", "x,y", "--save", path, w.points}
	if code, _, stderr := w.run("cluster", args...); code != 0 {
		t.Fatal(stderr)
	}
	return path
}

func (w workplace) write(name, text string) string {
	must.M(os.WriteFile(w.path(name), []byte(text), 0o600))
	return w.path(name)
}

// predictions runs the command without --model: the clustering knows it.
func predictions(args ...string) (code int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	code = run(append([]string{"gfncp", "predict", "--backend", "go"}, args...), &out, &diagnostics)
	return code, out.String(), diagnostics.String()
}

// JSON, file and report say the same of the same points, wherever the columns stand and whatever is beside them.
func TestPredictCommand(t *testing.T) {
	w := newWorkplace(t)
	c := w.saved(t)
	plain := w.write("plain.csv", "x,y\n0.5,0.2\n8,1\n100,-300\n")
	mixed := w.write("mixed.csv", "what,y,x,id\nred,0.2,0.5,1\ngreen,1,8,2\nblue,-300,100,3\n")
	code, stdout, stderr := predictions("--json", "--out", w.path("o.csv"), c, plain)
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, stderr %q", code, stderr)
	}
	var p root.Prediction
	must.M(json.Unmarshal([]byte(stdout), &p))
	if len(p.Labels) != 3 || len(p.Probabilities[0]) != p.K+1 || p.Samples != 15 || p.Model != "tiny" {
		t.Errorf("%+v", p)
	}
	if code, again, stderr := predictions("--json", mixed, "--", c); code != 2 || again != "" ||
		!strings.Contains(stderr, "no saved clustering") {
		t.Errorf("arguments exchanged: exit %d, %q", code, stderr)
	}
	if code, again, stderr := predictions("--json", c, mixed); code != 0 || again != stdout {
		t.Errorf("columns in another place: exit %d, %s%s, want %s", code, again, stderr, stdout)
	}
	rows := must.M1(csv.NewReader(bytes.NewReader(must.M1(os.ReadFile(w.path("o.csv"))))).ReadAll())
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
	code, report, _ := predictions(c, plain)
	for _, want := range []string{
		"plain.csv: 3 points, predicted from c.json: 30 points", "mean over 15 samples",
		"line 3 (8, 1)", strconv.FormatFloat(math.Round(1000*p.NewCluster[1])/1000, 'f', 3, 64),
	} {
		if code != 0 || !strings.Contains(report, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, report)
		}
	}
}

// One line with file, column and remedy, and exit status 2.
func TestPredictCommandFaults(t *testing.T) {
	w := newWorkplace(t)
	c := w.saved(t)
	good := w.write("good.csv", "x,y\n1,2\n")
	other := w.path("other.safetensors")
	must.M(os.WriteFile(other, must.M1(os.ReadFile("../../pretrained/weights/mog-ncp.safetensors")), 0o600))
	for want, args := range map[string][]string{
		"takes two arguments, RESULT NEW, but got 1":               {c},
		"points.csv: is no saved clustering":                       {w.points, good},
		"b.csv: has no column y, which the clustering has, but x":  {c, w.write("b.csv", "x,z\n1,2\n")},
		"d.csv: has no column x, y, which the clustering has, but": {c, w.write("d.csv", "1,2\n")},
		`e.csv:3: column "y": the cell holds no number`:            {c, w.write("e.csv", "x,y\n1,2\n1,\n")},
		"1 column in place of the 2 of the clustering; name as":    {"--columns", "x", c, good},
		"no such file or folder":                                   {c, w.path("none.csv")},
		"--samples -1 is out of range":                             {"--samples", "-1", c, good},
		"--out would overwrite the input":                          {"--out", c, c, good},
		"made by other weights":                                    {"--model", other, c, good},
		"name the model that made the cluster":                     {c + "2", good},
		"holds images, but the clustering is o":                    {c, newImageWorkplace(t).points},
	} {
		if args[0] == c+"2" { // a model that is gone
			must.M(os.WriteFile(c+"2", must.M1(os.ReadFile(c)), 0o600))
			must.M(os.Rename(w.model, w.model+".away"))
		}
		code, stdout, stderr := predictions(args...)
		if args[0] == c+"2" {
			must.M(os.Rename(w.model+".away", w.model))
		}
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
	if code, _, stderr := predictions("--columns", "1,2", c, w.path("d.csv")); code != 0 {
		t.Errorf("columns by number: exit %d, %s", code, stderr)
	}
}

// Images are predicted by the images that were clustered, and named in the report and the file.
func TestPredictImages(t *testing.T) {
	w := newImageWorkplace(t)
	c := w.path("c.json.gz")
	if code, _, stderr := w.run("cluster", "--quiet", "--samples", "5", "--save", c, w.points); code != 0 {
		t.Fatal(stderr)
	}
	code, report, stderr := predictions("--quiet", "--out", w.path("o.csv"), c, w.path("shots/right"))
	if code != 0 || !strings.Contains(report, "6 images, predicted from c.json.gz: 12 images") ||
		!strings.Contains(report, "  01.png\n") {
		t.Errorf("exit %d, %s%s", code, report, stderr)
	}
	if text := string(must.M1(os.ReadFile(w.path("o.csv")))); !strings.HasPrefix(text, "image,cluster,probability,p") ||
		!strings.Contains(text, "\n11.png,") {
		t.Errorf("file\n%s", text)
	}
	points := w.write("p.csv", "x,y\n1,2\n")
	if code, _, stderr := predictions(c, points); code != 2 ||
		!strings.Contains(stderr, "holds points, but the clustering is of images") {
		t.Errorf("points for images: exit %d, %s", code, stderr)
	}
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
		code, stdout, stderr := w.run("cluster", "--json", "--samples", "5", "--save", c, file)
		if code != 0 {
			t.Fatal(stderr)
		}
		var r clustering.Result
		must.M(json.Unmarshal([]byte(stdout), &r))
		label := fmt.Sprint(r.K, r.Labels)
		code, stdout, stderr = predictions("--json", c, w.write("one.csv", at(shift, 36, 37)))
		if code != 0 {
			t.Fatal(stderr)
		}
		var p root.Prediction
		must.M(json.Unmarshal([]byte(stdout), &p))
		labels = append(labels, label+fmt.Sprint(p.Labels))
	}
	if labels[0] != labels[1] {
		t.Errorf("clusters %s, shifted %s", labels[0], labels[1])
	}
}
