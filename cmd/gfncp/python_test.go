//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/short"
)

// pythonWith is a Python that has a package, "" without one. GFNCP_PYTHON names it; else that of the system is tried
// after the first on the PATH.
func pythonWith(pkg string) string {
	commands := []string{"python3", "/usr/bin/python3"}
	if named := os.Getenv("GFNCP_PYTHON"); named != "" {
		commands = []string{named}
	}
	for _, command := range commands {
		if exec.Command(command, "-c", "import "+pkg).Run() == nil {
			return command
		}
	}
	return ""
}

// python runs a script of the Python package with this test binary as gfncp.
func python(t *testing.T, command string, args ...string) (output string) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = docsRoot
	cmd.Env = append(os.Environ(), "GFNCP_BIN="+executable(t.TempDir()), "PYTHONDONTWRITEBYTECODE=1")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", args, err, text)
	}
	return string(text)
}

// The tests of python/tests pass.
func TestPython(t *testing.T) {
	short.Skip(t, "starts Python many times")
	t.Parallel()
	command := pythonWith("sklearn")
	if command == "" {
		t.Skip("no Python with scikit-learn: install python3-sklearn, or name one in GFNCP_PYTHON")
	}
	text := python(t, command, "-W", "error::ResourceWarning", "-m", "unittest", "discover", "-s", "python/tests")
	ran := regexp.MustCompile(`Ran (\d+) tests`).FindStringSubmatch(text)
	if ran == nil || must.M1(strconv.Atoi(ran[1])) < 18 {
		t.Errorf("too few tests ran:\n%s", text)
	}
}

// The example draws its picture.
func TestPythonExample(t *testing.T) {
	short.Skip(t, "starts Python")
	command := pythonWith("sklearn, matplotlib")
	if command == "" {
		t.Skip("no Python with scikit-learn and matplotlib: install python3-matplotlib")
	}
	t.Setenv("PYTHONPATH", "python")
	picture := filepath.Join(t.TempDir(), "python.png")
	text := python(t, command, "python/examples/penguins.py", picture)
	info, err := os.Stat(picture)
	if err != nil || info.Size() < 50_000 || !strings.Contains(text, "3 clusters by model mixture") {
		t.Errorf("%v\n%s", err, text)
	}
}

// numbersTable has n rows of two groups in some columns of numbers.
func numbersTable(w workplace, name string, n, columns int) string {
	rng := data.Rand(1, "cmd/door "+name, 0)
	lines := make([][]string, n+1)
	for j := range columns {
		lines[0] = append(lines[0], fmt.Sprintf("c%d", j))
	}
	for i := range n {
		for range columns {
			lines[i+1] = append(lines[i+1], fmt.Sprintf("%.3f", float64(i%2*9)+rng.NormFloat64()))
		}
	}
	text := answer.Each(lines, func(cells []string) string { return strings.Join(cells, ",") + "\n" })
	return w.write(name, strings.Join(text, ""))
}

// The library finds what the command finds, to the last digit, in tables of numbers, of mixed columns and with gaps,
// and by a network. So does the Python package where the columns are numbers.
func TestOneDoor(t *testing.T) {
	short.Skip(t, "clusters twelve times")
	w := newWorkplace(t)
	examples := filepath.Join("..", "..", "examples")
	mixed := mixedTable(w)
	numpy := pythonWith("numpy")
	for _, c := range []struct {
		file, model string
		numbers     bool
	}{
		{filepath.Join(examples, "points.csv"), "", true},
		{filepath.Join(examples, "penguins.csv"), "", false},
		{mixed, "", false},
		{numbersTable(w, "few.csv", 20, 3), "", true},
		{numbersTable(w, "plane.csv", 60, 2), "mog-gfncp-free", true},
	} {
		command := result[clustering.Result](t, clusters(c.file, "--model", c.model)...)
		var o *root.Options
		if c.model != "" {
			o = root.DefaultOptions()
			o.Model = c.model
		}
		library := must.M1(root.Cluster(t.Context(), must.M1(root.ReadPoints(c.file, nil)), o))
		library.Warnings = answer.AllFlags(library.Warnings)
		got, want := string(must.M1(json.Marshal(library.Result))), string(must.M1(json.Marshal(command)))
		if got != want {
			t.Errorf("%s: the library finds\n%.300s\nand the command\n%.300s", c.file, got, want)
		}
		if !c.numbers || numpy == "" {
			continue
		}
		script := fmt.Sprintf(`import sys; sys.path.insert(0, "python")
import numpy as np, gfncp, json, warnings
warnings.simplefilter("ignore")
with open(%[1]q) as f: names = f.readline().strip().split(",")
c = gfncp.GFNCP(%[2]q).fit(np.loadtxt(%[1]q, delimiter=",", skiprows=1))
print(json.dumps([c.labels_.tolist(), c.probabilities_.tolist(), c.log_prob_, sorted(c.k_posterior_.items())]))`,
			must.M1(filepath.Abs(c.file)), map[bool]string{true: "auto", false: c.model}[c.model == ""])
		var found, law [][2]float64
		for _, k := range command.KPosterior {
			law = append(law, [2]float64{float64(k.K), k.P})
		}
		var labels []int32
		var probabilities [][]float64
		var logProb float64
		answer := []byte(python(t, numpy, "-c", script))
		must.M(json.Unmarshal(answer, &[]any{&labels, &probabilities, &logProb, &found}))
		if fmt.Sprint(labels, probabilities, logProb, found) !=
			fmt.Sprint(command.Labels, command.Probabilities, command.LogProb, law) {
			t.Errorf("%s: Python has labels %v, log p %v and P(K) %v", c.file, labels, logProb, found)
		}
	}
}

// A flag that is given its default value changes nothing.
func TestDefaultsChangeNothing(t *testing.T) {
	short.Skip(t, "clusters as often as there are flags")
	w := newWorkplace(t)
	table := numbersTable(w, "t.csv", 24, 2)
	with := func(flag string) string {
		stdout, _ := done(t, "cluster", "--json", flag, table)
		return stdout
	}
	want := with("--quiet")
	for _, f := range named(commands(), "cluster").Flags {
		name, value := f.Names()[0], f.(cli.DocGenerationFlag).GetValue()
		if _, is := f.(*cli.BoolFlag); is {
			value = "false"
		}
		if name == "json" {
			continue
		}
		if got := with("--" + name + "=" + value); got != want {
			t.Errorf("--%s=%s changes the answer", name, value)
		}
	}
}
