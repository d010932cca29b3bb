package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/urfave/cli/v2"
)

// badInputs collects command lines that have to be refused.
type badInputs struct {
	t    *testing.T
	n    int
	root string // the sources'
}

// refuse runs a command line in this process, where a panic would end the test with its stack. A bad input is one line
// on stderr, nothing on stdout, and status 2.
func (b *badInputs) refuse(args ...string) {
	b.t.Helper()
	b.n++
	stderr := refused(b.t, "gfncp: ", args...)
	if len(stderr) > 1100 || strings.Contains(stderr, "runtime error") || strings.Contains(stderr, "panic") {
		b.t.Errorf("gfncp %.200q: stderr %.1000q", args, stderr)
	}
}

// file writes a file in the working directory and returns its name.
func (b *badInputs) file(name string, content []byte) string {
	must.M(os.WriteFile(name, content, 0o644))
	return name
}

// TestBadInputs gives every command what it cannot take: more than 300 numbers, tables, models, saved clusterings,
// settings, sweeps and results. None ends with a stack trace, or with a status that says that it was the program's
// fault.
func TestBadInputs(t *testing.T) {
	b := &badInputs{t: t, root: filepath.Dir(filepath.Dir(must.M1(os.Getwd())))}
	t.Chdir(t.TempDir())
	t.Setenv("GFNCP_DATA", filepath.Join(t.TempDir(), "none"))
	for name, group := range map[string]func(*badInputs){
		"numbers": badNumbers, "tables": badTables, "formats": badFormats, "models": badModels,
		"clusterings": badClusterings, "settings": badSettings, "sweeps": badSweeps, "results": badResults,
	} {
		before := b.n
		group(b)
		t.Logf("%s: %d", name, b.n-before)
	}
	if b.n < 300 {
		t.Errorf("%d bad inputs, which are not 300", b.n)
	}
}

// badNumbers: each flag of each command that takes a number or a duration.
func badNumbers(b *badInputs) {
	everyCommand("", newApp(nil, nil).Commands, func(path string, c *cli.Command) {
		for _, flag := range c.Flags {
			var values []string
			switch flag.(type) {
			case *cli.IntFlag, *cli.Int64Flag, *cli.Uint64Flag:
				values = []string{"x", "1e3", "0x10", "010", "9223372036854775808000"}
			case *cli.Float64Flag, *cli.DurationFlag:
				values = []string{"x", "1e999"}
			}
			for _, value := range values {
				b.refuse(append(strings.Fields(path), "--"+flag.Names()[0], value)...)
			}
		}
	})
}

// badTables: texts that are no table of points, to all commands that read one.
func badTables(b *badInputs) {
	saved := savedClustering(b)
	for i, text := range []string{
		"", "\n\n# none\n", "x,y,label\n", "x,y,label\n1,2,a\n", "x,y,label\n1,2,a\n3\n", "x,y,label\n1,2,a\n3,4,b,c\n",
		"\xff\xfex\x00,\x00y\x00", "\xfe\xff\x00x", "PK\x03\x04\x14\x00\x06\x00", "x,y,label\r1,2,a\r3,4,b\r",
		"x,y,label\n1,2,a\n3,4,\x00\n", "x,x,label\n1,2,a\n3,4,b\n", "x,y,label\n1e400,2,a\n3,4,b\n",
		"\x00\x00\x00\x00", "\x93NUMPY\x01\x00", "x,y,label\n1,2,a\n\"3,4,b\n", "{\"x\": [1, 2]}", "<html><body>\n",
		"x,y,label\n,,\n,,\n", "x,y,label\n1,2,a\n\x00,4,b\n",
	} {
		path := b.file(fmt.Sprintf("t%d.csv", i), []byte(text))
		b.refuse("cluster", path, "--columns", "x,y", "--quiet")
		b.refuse("score", path, "--columns", "x,y", "--labels", "label", "--quiet")
		b.refuse("train", "--data", path, "--columns", "x,y", "--out", "run", "--quiet")
		if strings.Count(text, "\n") != 2 { // one whole point is enough
			b.refuse("predict", saved, path)
		}
	}
	for d := range 4 { // constant columns alone, as many as other models take
		row := strings.Repeat("3,", d) + "3\n"
		same := b.file(fmt.Sprintf("same%d.csv", d), []byte(strings.Repeat(row, 5)))
		b.refuse("cluster", same, "--header", "no")
	}
}

// badFormats: files under each other's endings, and cut short.
func badFormats(b *badInputs) {
	files := map[string][]byte{
		".npy": append([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (99, 99), }"),
			bytes.Repeat([]byte(" "), 20)...),
		".npz":         []byte("PK\x03\x04\x14\x00\x00\x00\x00\x00"),
		".parquet":     []byte("PAR1\x15\x04\x15\x10PAR1"),
		".safetensors": must.M1(os.ReadFile(filepath.Join(b.root, "pretrained/weights/mog-ncp.safetensors"))),
		".csv.gz":      {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 2, 3},
		".idx3-ubyte":  {0, 0, 8, 3, 127, 255, 255, 255, 127, 255, 255, 255, 0, 0, 0, 28},
		".json":        []byte(`{"points": [[1, 2], [3, 4]]}`),
	}
	for as := range files {
		for of, content := range files {
			path := b.file("f"+strings.ReplaceAll(of, ".", "")+as, content)
			b.refuse("cluster", path, "--quiet")
		}
	}
}

// damaged are some ways in which a file of weights is none any more.
func damaged(whole []byte) (files [][]byte) {
	for _, n := range []int{0, 1, 7, 8, 9, 100, len(whole) / 2, len(whole) - 1} {
		files = append(files, whole[:n])
	}
	header := int(binary.LittleEndian.Uint64(whole))
	for _, at := range []int{0, 3, 7, 8, 9, 50, 8 + header/2, 7 + header, 8 + header, len(whole) - 1} {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		files = append(files, flipped)
	}
	return append(files, append(bytes.Clone(whole), 0), []byte("{}"), bytes.Repeat([]byte{0}, 1000))
}

// badModels: damaged weights, to all commands that open a model.
func badModels(b *badInputs) {
	points := b.file("points.csv", []byte("x,y,label\n1,2,a\n3,4,b\n2,2,a\n"))
	for i, content := range damaged(must.M1(os.ReadFile(filepath.Join(b.root,
		"pretrained/weights/mog-ncp.safetensors")))) {
		path := b.file(fmt.Sprintf("m%d.safetensors", i), content)
		b.refuse("cluster", points, "--model", path, "--quiet")
		b.refuse("score", points, "--labels", "label", "--model", path, "--quiet")
		b.refuse("eval", "--model", path, "--quiet")
		b.refuse("export", "--model", path, "--out", "new.safetensors")
		b.refuse("describe", path)
	}
}

// savedClustering is a small one of gfncp cluster --save.
func savedClustering(b *badInputs) string {
	points := b.file("saved.csv", []byte("x,y\n1,2\n3,4\n2,2\n9,9\n"))
	done(b.t, "cluster", points, "--model", "mog-ncp", "--samples", "3", "--save", "saved.json", "--quiet")
	return "saved.json"
}

// badClusterings: saved clusterings that are damaged, or of another kind.
func badClusterings(b *badInputs) {
	whole := must.M1(os.ReadFile(savedClustering(b)))
	points := b.file("new.csv", []byte("x,y\n1,2\n3,4\n"))
	contents := [][]byte{nil, []byte("{}"), []byte("[]"), []byte("null"), []byte("x,y\n1,2\n"), []byte("{\"a\":")}
	for part := range 8 {
		contents = append(contents, whole[:len(whole)*part/8])
		swapped := bytes.Clone(whole)
		at := bytes.IndexAny(swapped[len(whole)*part/8:], "0123456789") + len(whole)*part/8
		swapped[at] = '0' + (swapped[at]-'0'+1)%10
		contents = append(contents, swapped)
	}
	for i, content := range contents {
		b.refuse("predict", b.file(fmt.Sprintf("c%d.json", i), content), points, "--quiet")
	}
}

// badSettings: each key of a training's config with values that it does not take, in a file and on the command line.
func badSettings(b *badInputs) {
	shown, _, _ := gfncp("train", "--show-config")
	section := ""
	for line := range strings.Lines(shown) {
		key, _, found := strings.Cut(line, " = ")
		if !found {
			section = strings.Trim(strings.TrimSpace(line), "[]") + "."
			continue
		}
		key = strings.TrimPrefix(section+key, ".")
		for _, value := range []string{"[1]", "{a = 1}"} {
			if key == "data.stream" || key == "train.init" { // any text
				break
			}
			b.refuse("train", "--set", key+"="+value, "--show-config")
		}
		b.refuse("train", "--set", key+"z=1", "--show-config")
	}
	for i, text := range []string{
		"steps", "[train]\nsteps = ", "[train\nsteps = 3", "[train]\nsteps = 'x'\n", "[train]\nsteps = 1_000.5\n",
		"[train]\nsteps = -1\n", "[train]\nsteps = 3\nsteps = 4\n", "[train]\n[train]\n", "model = 7\n",
		"model = 'xyz'\n", "seed = -1\n", "seed = 99999999999999999999\n", "[data]\nbatch = 0\n",
		"[data]\nn_min = 20\nn_max = 10\n", "[data]\nalpha_min = 2\nalpha_max = 1\n", "[data]\nsource = 'none'\n",
		"[net]\nhidden = 0\n", "[net]\nencoder = 'cnn'\n", "[loss]\nbeta = 2\n", "[loss]\nnormalize = 'never'\n",
		"[train]\nlearning_rate = inf\n", "\xff\xfe", "\x00", strings.Repeat("a.", 5000) + "b = 1\n",
		strings.Repeat("[", 5000), "a = \"" + strings.Repeat("x", 100_000),
	} {
		b.refuse("train", "--config", b.file(fmt.Sprintf("s%d.toml", i), []byte(text)), "--show-config")
	}
	for _, line := range []string{
		"reproduce table3 --set nosuch=5", "reproduce table3 --set train.steps=x",
		"reproduce table3 --set train.steps=0", "reproduce table3 --set train.steps=4 --train never",
		"eval --alpha nan", "eval --clusters 400",
		"eval --split valid", "eval --protocol mine", "eval --backend nosuch",
	} {
		b.refuse(strings.Fields(line)...)
	}
}

// badSweeps: files that plan nothing, and directories that hold no plan.
func badSweeps(b *badInputs) {
	for i, text := range []string{
		"", "[grid]\n", "[grid]\n\"loss.beta\" = []\n", "[grid]\n\"loss.beta\" = 0.5\n", "[grid]\nloss.bta = [1.0]\n",
		"[grid]\nloss.beta = [\"x\"]\n", "[grid]\nloss.beta = [[1.0]]\n",
		"metrics = [\"none\"]\n[grid]\nloss.beta = [1.0]\n",
		"[base]\nmodel = \"ncp\"\n", "name = \"/\"\n[grid]\nloss.beta = [1.0]\n",
		"seeds = [1, 1]\n[grid]\nloss.beta = [1.0]\n",
		"seeds = 3\n[grid]\nloss.beta = [1.0]\n", "[grid]\nloss.beta = [1.0, 1.0]\n", "\x00", "[grid", "grid = 3\n",
	} {
		b.refuse("sweep", "plan", b.file(fmt.Sprintf("w%d.toml", i), []byte(text)))
		b.refuse("sweep", b.file(fmt.Sprintf("w%d.toml", i), []byte(text)))
	}
	for i, plan := range []string{
		"", "{}", "null", "[]", `{"schema_version": 99}`, `{"schema_version": 1, "jobs": [{"n": 7, "run": "a"}]}`,
		`{"schema_version": 1, "jobs": [{"n": 1, "run": "../a"}]}`, `{"schema_version": 1, "unknown": 3}`,
	} {
		dir := fmt.Sprintf("plan%d", i)
		must.M(os.Mkdir(dir, 0o755))
		b.file(filepath.Join(dir, "plan.json"), []byte(plan))
		for _, command := range []string{"status", "resume", "results", "cancel"} {
			b.refuse("sweep", command, dir)
		}
	}
}

// badResults: tables and reports that are damaged.
func badResults(b *badInputs) {
	whole := must.M1(os.ReadFile(filepath.Join(b.root, "results/small/table4.json")))
	var parsed map[string]any
	must.M(json.Unmarshal(whole, &parsed))
	parsed["schema_version"] = 99
	for i, content := range [][]byte{
		nil, []byte("{"), []byte("[]"), []byte("null"), []byte(`{"schema_version": 1}`), whole[:len(whole)/2],
		must.M1(json.Marshal(parsed)), []byte(`{"schema_version": 1, "id": "../x", "cells": []}`),
	} {
		dir := fmt.Sprintf("results%d", i)
		must.M(os.Mkdir(dir, 0o755))
		b.file(filepath.Join(dir, "table4.json"), content)
		b.refuse("report", "--results", dir, "--quiet")
		b.refuse("bench", "--read", filepath.Join(dir, "table4.json"))
	}
}
