package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/internal/memory"
)

// userFaults lists command lines that are refused, each with a part of the reason. TestDidYouMean has the unknown
// words. POINTS is a table of points; the working directory holds the files that TestUserFaults writes.
var userFaults = [][2]string{
	{"reproduce table3 --seeds 0", "for flag --seeds: choose a whole number"},
	{"reproduce table3 --out kept.safetensors", "kept.safetensors"},
	{
		"train --data none.csv",
		`training data "none.csv" is not known; use one of mog, mnist, fmnist, in50, in100, in200, standin50, ` +
			"standin100, standin200, classes1-images, classes1, classes2-images, classes2, classes3-images, " +
			"classes3, or the path of your own folder or file",
	},
	{"train --data few.csv --out run", "few.csv: 3 points are too few to train on: at least 10 are needed"},
	{"train --data same.csv --out run", "same.csv: all 2 columns are constant"},
	{"train --data empty --out run", "holds no PNG or JPEG image"},
	{"train --config ncp.toml --out x", "gfncp data fetch mnist"},
	{"train --config ncp.toml --data fmnist", "--data has no effect with --config; leave it out, or use --set"},
	{"train --config ncp.toml --recipe published", "--recipe has no effect with --config"},
	{"train --set model=ncp --model gfncp", "--set names a model or a source beside --model or --data; leave one out"},
	{"train --labels x", "--labels has no effect without a table; leave it out, or give --data FILE"},
	{"train --config broken.toml", `broken.toml:2: unknown key "train.stepz"`},
	{"train --config none.toml", "none.toml: no such file"},
	{"train --out kept.safetensors", "kept.safetensors"},
	{"cluster POINTS --model " + defaultModel + " --time 3s", "--time has no effect on a network"},
	{"train --resume empty", "is not a run directory"},
	{"train --resume empty --seed 3", "--seed has no effect"},
	{"train --resume odd", "config.toml: is a folder"}, // it is there, so it is not called missing
	{"eval --model none", "none: is neither a file"},
	{"eval --model kept.safetensors", "kept.safetensors:"},
	{"cluster POINTS --model kept.safetensors", "kept.safetensors:"},
	{"score POINTS --labels x --model kept.safetensors", "kept.safetensors:"},
	{"export --model kept.safetensors --out new.safetensors", "kept.safetensors:"},
	{"describe kept.safetensors", "kept.safetensors:"},
	{"eval --model empty", "holds no trained weights"},
	{"eval --sets 0", "for flag --sets: choose a whole number"},
	{"eval --model mog-st --points 4", "--clusters 6 is more than 4 points; choose fewer, or more --points"},
	{"export --out kept.safetensors", "exists already"},
	{"bench --repeats 0", "invalid value \"0\" for flag --repeats: choose a whole number"},
	{"train --set train.learning_rate=1e30", "set train.learning_rate to a number from 0 to 1e+09"},
	{"eval --sdpp 1000000000000", "invalid value \"1000000000000\" for flag --sdpp: choose a whole number"},
	{"export --out no/such/x.safetensors", "x.safetensors"},
	{"export --out x.txt", "is not a safetensors file name"},
	{"doctor --backend xla:cuda", "backend xla:cuda"},
	{"bench Stop/gfncp", `no benchmark is called like "Stop/gfncp"`},
	{"bench Step/(", "missing closing )"},
	{"train --set data.batch=9223372036854775807", "set data.batch to 1 to 1000000"},
	{"train --set data.stream=valid --out x", `data.stream = "valid" is the stream of sets on which models are judged`},
	{"train --set data.batch=1000000 --out x", "or raise --memory-limit"},
	{"train --set data.n_max=1000000000000", "n_max is 1000000000000"},
	{"train --set train.valid_sets=1000000000000", "train.valid_sets = 1000000000000 is outside 1..1000000"},
	{"train --set train.learning_rate=nan", "train.learning_rate is NaN"},
	{"train --memory-limit 64MB --out x", "but 64 MB may be used"},
	{"train --memory-limit little", `"little" is no limit of memory`},
	{"eval --points 1000000000000", "invalid value \"1000000000000\" for flag --points: choose a whole number"},
	{"eval --points 1000000 --memory-limit 4GB", "16 sets of 1000000 points at a time would"},
	{"score POINTS --orders -1", "invalid value \"-1\" for flag --orders: choose a whole number"},
	{"score none.csv --labels c", "none.csv"},
	{"score POINTS", "no labels to score; name the column that holds them (--labels)\n"},
	{"score POINTS --model " + defaultModel, "no labels to score; name the column that holds them (--labels)\n"},
	{"cluster none.csv", "none.csv"},
	{"serve --stdio --backend xla:tpu", `backend "xla:tpu" is unknown; choose one of xla:cpu`},
	{"cluster none.csv --backend gpu", `backend "gpu" is unknown; choose one of auto`},
	{"cluster POINTS --samples 1000000000000", "choose a whole number from 0 to 1000000"},
	{"cluster POINTS --samples 1000000 --memory-limit 1GB --quiet", "draw fewer samples, or raise --memory-limit"},
	{"cluster POINTS --html look.txt", "end the name in .html or .htm"},
	{"cluster POINTS --html none/x.html", "none"},
	{"board none", "none: is not a folder"},
	{"board --port 70000", "invalid value \"70000\" for flag --port: choose a whole number"},
	{"data list mnist", "gfncp data list takes no argument"},
	{"data fetch mnist --offline --data-dir empty", "no train-images-idx3-ubyte.gz, packed or not, in empty/mnist"},
	{"report --results empty", "empty: holds no results"},
	{"report --results broken", "broken/table2.json"},
	{"sweep empty", "empty"},
}

// Every fault of the user is one line on stderr, nothing on stdout, and exit status 2.
func TestUserFaults(t *testing.T) {
	points := must.M1(filepath.Abs(example("points.csv")))
	t.Chdir(t.TempDir())
	t.Setenv("GFNCP_DATA", "none")
	t.Cleanup(func() { must.M(memory.SetLimit("1TB")) })
	for _, dir := range []string{"empty", "broken", "odd/config.toml"} {
		must.M(os.MkdirAll(dir, 0o755))
	}
	for name, text := range map[string]string{
		"broken.toml": "[train]\nstepz = 3\n", "ncp.toml": "model = 'ncp'\ndata.source = 'mnist'\ndata.min_k = 2\n",
		"broken/table2.json": `{"schema_version": 1,`,
		"kept.safetensors":   "precious", "few.csv": "1,2\n3,4\n5,6\n", "same.csv": strings.Repeat("1,2\n", 12),
	} {
		must.M(os.WriteFile(name, []byte(text), 0o644))
	}
	for _, fault := range userFaults {
		refused(t, fault[1], strings.Fields(strings.Replace(fault[0], "POINTS", points, 1))...)
	}
	if string(must.M1(os.ReadFile("kept.safetensors"))) != "precious" {
		t.Error("a refused command overwrote a file")
	}
	left := append(must.M1(os.ReadDir(".")), must.M1(os.ReadDir("empty"))...)
	if left = append(left, must.M1(os.ReadDir("broken"))...); len(left) != 9 {
		t.Errorf("refused commands left files behind: %v", left)
	}
}

// Wrong words are named, with the one that was meant; the status is 2.
func TestDidYouMean(t *testing.T) {
	for line, want := range map[string]string{
		"clutser":          `unknown command "clutser"; did you mean cluster? see gfncp --help`,
		"data fetsh":       `unknown command "data fetsh"; did you mean fetch? see gfncp data --help`,
		"help sweep plann": `unknown command "sweep plann"; did you mean plan? see gfncp sweep --help`,
		"help nonsense":    `unknown command "nonsense"; see gfncp --help`,
		"eval --mdoel x": "flag provided but not defined: --mdoel; " +
			"did you mean --model? see gfncp eval --help",
		"data list --jsn": "flag provided but not defined: --jsn; did you mean --json? see gfncp data " +
			"list --help",
		"eval --sets x": `invalid value "x" for flag --sets: choose a whole number from 1 to 1000000; ` +
			"see gfncp eval --help",
		"eval --sets":      "flag needs an argument: -sets; see gfncp eval --help",
		"list x":           `gfncp list takes no argument, but got 1 argument; see gfncp list --help`,
		"score":            "gfncp score takes INPUT, but got 0 arguments; see gfncp score --help",
		"reproduce tabel3": `experiment "tabel3" is not known; did you mean table3? choose one of table1`,
		"reproduce table3 --scale smal": `scale "smal" is not known; did you mean small? choose one of smoke, ` +
			`small, night, paper`,
		"reproduce table3 --only mog-gfnpc": `--only "mog-gfnpc" fits no run; did you mean mog-gfncp? name runs`,
		"describe tabel3": `"tabel3" is no table, figure, model, run or file; ` +
			`did you mean table3? see gfncp list`,
		"eval --model mog-npc": "mog-npc: is neither a file, a run directory nor a pretrained model; " +
			"did you mean mog-ncp?",
		"train --model gfnpc --out x": `model = "gfnpc" is not known; did you mean gfncp?`,
		"train --set trian.steps=3":   `--set trian.steps=3: unknown key "trian.steps"; did you mean train.steps?`,
		"train --data mnits":          `training data "mnits" is not known; did you mean mnist?`,
		"data fetch fmnits":           `data set "fmnits" is not known; did you mean fmnist?`,
		"export":                      "gfncp export needs --out",
	} {
		refused(t, "gfncp: "+want, strings.Fields(line)...)
	}
}
