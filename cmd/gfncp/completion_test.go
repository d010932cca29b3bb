package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
	"github.com/urfave/cli/v2"
)

// What may stand for the last word; ":paths" if a path may.
func TestSuggest(t *testing.T) {
	t.Chdir(t.TempDir())
	must.M(os.MkdirAll("runs/mine", 0o755))
	must.M(os.MkdirAll("sweeps/beta", 0o755))
	for _, test := range []struct{ line, want string }{
		{"cl", "cluster"},
		{"nonsense ", ""},
		{"cluster ", ":paths"},
		{"cluster --head", "--header"},
		{"cluster --header n", "no"},
		{"cluster --header=n", "--header=no"},
		{"cluster --samples ", ""},
		{"cluster --json ", ":paths"},
		{"cluster --scale n", "none"},
		{"cluster --model mog-n", "mog-ncp :paths"},
		{"cluster --model runs/", "runs/mine :paths"},
		{"cluster a.csv ", ""},
		{"cluster -- --", ":paths"},
		{"cluster --out ", ":paths"},
		{"reproduce --scale ", "smoke small night paper"},
		{"reproduce --only gib", "gibbs"},
		{"reproduce a", "ablation-loss ablation-weights all"},
		{"train --model ", "gfncp ncp st dac ccp"},
		{"train --set loss.be", "loss.beta="},
		{"train --data in", "in50 in100 in200 :paths"},
		{"train --resume ", "runs/mine :paths"},
		{"describe figure1", "figure1 :paths"},
		{"sweep re", "results :paths"},
		{"sweep status ", "sweeps/beta :paths"},
		{"data fetch m", "mnist"},
		{"data fetch mnist f", "fmnist"},
		{"help da", "data"},
		{"help data v", "verify"},
		{"stream --model mog-gfncp-o", "mog-gfncp-online :paths"},
		{"stream --like ", ":paths"},
		{"completion ", "bash zsh fish"},
		{"list ", ""},
		{"--v", "--version"},
	} {
		stdout, _, _ := gfncp(append([]string{"__complete"}, strings.Split(test.line, " ")...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("gfncp %s: %q, want %q", test.line, got, test.want)
		}
	}
}

// The tables of values name flags and commands that there are.
func TestValuesBelongToFlags(t *testing.T) {
	known := []string{}
	everyCommand("gfncp", newApp(io.Discard, io.Discard).Commands, func(path string, c *cli.Command) {
		known = append(known, strings.TrimPrefix(path, "gfncp "))
		for _, f := range c.Flags {
			known = append(known, "--"+f.Names()[0], path+" --"+f.Names()[0])
		}
	})
	for name := range flagValues {
		if !slices.Contains(known, name) {
			t.Errorf("values for %s, which is no flag", name)
		}
	}
	for name := range arguments {
		if !slices.Contains(known, name) {
			t.Errorf("arguments of %s, which is no command", name)
		}
	}
}

// Each script completes in its own shell, with this program as gfncp.
func TestCompletionInShells(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\nGFNCP_TEST_MAIN=1 exec '" + must.M1(os.Executable()) +
		"' -test.run=TestMainProcess -- \"$@\"\n"
	must.M(os.WriteFile(filepath.Join(bin, "gfncp"), []byte(script), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", bin)
	t.Chdir(bin)
	must.M(os.WriteFile("points.csv", nil, 0o644))
	const inBash = `source <(gfncp completion bash)
COMP_LINE=$1; COMP_POINT=${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gfncp 2>/dev/null; echo "${COMPREPLY[*]}"`
	const inFish = `gfncp completion fish | source; complete -C $argv[1] | string replace -r '\t.*' '' | string join ` +
		`' '; true`
	const inZsh = `zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z 'PS1=; PROMPT_EOL_MARK=; autoload -U compinit; compinit -u -D; source <(gfncp completion zsh); echo re''ady'
zpty -r z seen '*ready*'; zpty -n -w z "$1"$'\t'; zpty -r z seen "*$2*" && print -r -- "$2"` // it waits for what is wanted
	for _, test := range []struct{ shell, script, line, more, want string }{
		{"bash", inBash, "gfncp cl", "gfncp cl", "cluster"},
		{"bash", inBash, "gfncp eval --backend x", "gfncp eval --backend x", "xla:cpu xla:cuda"},
		{"bash", inBash, "gfncp cluster --header=n", "gfncp cluster --header = n", "no"},
		{"bash", inBash, "gfncp eval --backend xla:c", "gfncp eval --backend xla : c", "cpu cuda"},
		{"bash", inBash, "gfncp cluster poi", "gfncp cluster poi", "points.csv"},
		{"fish", inFish, "gfncp cl", "", "cluster"},
		{"fish", inFish, "gfncp cluster --header=n", "", "--header=no"},
		{"fish", inFish, "gfncp cluster poi", "", "points.csv"},
		{"zsh", inZsh, "gfncp clu", "cluster", "cluster"},
		{"zsh", inZsh, "gfncp cluster --header=n", "--header=no", "--header=no"},
	} {
		t.Run(test.shell+" "+test.line, func(t *testing.T) {
			if _, err := exec.LookPath(test.shell); err != nil {
				t.Skip(err)
			}
			args := append([]string{"-c", test.script}, test.line)
			if test.shell != "fish" { // the first word after a script is its name there
				args = append([]string{"-c", test.script, test.shell, test.line}, strings.Fields(test.more)...)
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			out, err := exec.CommandContext(ctx, test.shell, args...).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
