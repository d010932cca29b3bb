package main

import (
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/urfave/cli/v2"
)

// What no command can take ends neither with a stack trace nor with a status that says that it was the program's fault.
func TestBadInputs(t *testing.T) {
	t.Run("numbers", badNumbers)
	t.Run("settings", badSettings)
}

// refusedBriefly wants a bad input to be one short line on stderr, which is none of the runtime's.
func refusedBriefly(t *testing.T, args ...string) {
	t.Helper()
	stderr := refused(t, "gfncp: ", args...)
	if len(stderr) > 1100 || strings.Contains(stderr, "runtime error") || strings.Contains(stderr, "panic") {
		t.Errorf("gfncp %.200q: stderr %.1000q", args, stderr)
	}
}

// badNumbers: each flag of each command that takes a number or a duration.
func badNumbers(t *testing.T) {
	everyCommand("", newApp(nil, nil).Commands, func(path string, c *cli.Command) {
		for _, flag := range c.Flags {
			var values []string
			switch flag.(type) {
			case *cli.GenericFlag:
				values = []string{"x", "1e3", "0x10", "010", "9223372036854775808000"}
			case *cli.Float64Flag, *cli.DurationFlag:
				values = []string{"x", "1e999"}
			}
			for _, value := range values {
				refusedBriefly(t, append(strings.Fields(path), "--"+flag.Names()[0], value)...)
			}
		}
	})
}

// badSettings: each key of a training's config with values that it does not take, in a file and on the command line.
func badSettings(t *testing.T) {
	t.Chdir(t.TempDir())
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
			refusedBriefly(t, "train", "--set", key+"="+value, "--show-config")
		}
		refusedBriefly(t, "train", "--set", key+"z=1", "--show-config")
	}
	for _, text := range []string{
		"steps", "[train]\nsteps = ", "[train\nsteps = 3", "[train]\nsteps = 'x'\n", "[train]\nsteps = 1_000.5\n",
		"[train]\nsteps = -1\n", "[train]\nsteps = 3\nsteps = 4\n", "[train]\n[train]\n", "model = 7\n",
		"model = 'xyz'\n", "seed = -1\n", "seed = 99999999999999999999\n", "[data]\nbatch = 0\n",
		"[data]\nn_min = 20\nn_max = 10\n", "[data]\nalpha_min = 2\nalpha_max = 1\n", "[data]\nsource = 'none'\n",
		"[net]\nhidden = 0\n", "[net]\nencoder = 'cnn'\n", "[loss]\nbeta = 2\n", "[loss]\nnormalize = 'never'\n",
		"[train]\nlearning_rate = inf\n", "\xff\xfe", "\x00", strings.Repeat("a.", 5000) + "b = 1\n",
		strings.Repeat("[", 5000), "a = \"" + strings.Repeat("x", 100_000),
	} {
		must.M(os.WriteFile("s.toml", []byte(text), 0o644))
		refusedBriefly(t, "train", "--config", "s.toml", "--show-config")
	}
	for _, line := range []string{
		"reproduce table3 --set nosuch=5", "reproduce table3 --set train.steps=x",
		"reproduce table3 --set train.steps=0", "reproduce table3 --set train.steps=4 --train never",
		"eval --alpha nan", "eval --clusters 400",
		"eval --split valid", "eval --protocol mine", "eval --backend nosuch",
	} {
		refusedBriefly(t, strings.Fields(line)...)
	}
}
