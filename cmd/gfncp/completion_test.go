package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// Each script completes in its own shell, with this program as gfncp.
func TestCompletionInShells(t *testing.T) {
	bin := t.TempDir()
	executable(bin)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", bin)
	t.Chdir(bin)
	must.M(os.WriteFile("points.csv", nil, 0o644))
	const inBash = `source <(gfncp completion bash)
shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gfncp; echo "${COMPREPLY[*]}"`
	const inFish = `gfncp completion fish | source; complete -C $argv[1] | string replace -r '\t.*' '' | string join ` +
		`' '; true`
	const inZsh = `zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z 'PS1=; PROMPT_EOL_MARK=; autoload -U compinit; compinit -u -D; source <(gfncp completion zsh); echo re''ady'
zpty -r z seen '*ready*'; zpty -n -w z "$1"$'\t'; zpty -r z seen "*$2*" && print -r -- "$2"` // it waits for what is wanted
	for _, test := range []struct{ shell, script, line, more, want string }{
		{"bash", inBash, "gfncp cl", "gfncp cl", "cluster"},
		{"bash", inBash, "gfncp sweep pl", "gfncp sweep pl", "plan"},
		{"bash", inBash, "gfncp cluster x.csv --mo", "gfncp cluster x.csv --mo", "--model"},
		{"bash", inBash, "gfncp data list --", "gfncp data list --", "--data-dir --json --help"},
		{"bash", inBash, "gfncp train -- --", "gfncp train -- --", ""},
		{"fish", inFish, "gfncp cl", "", "cluster"},
		{"fish", inFish, "gfncp export --hal", "", "--half"},
		{"fish", inFish, "gfncp cluster poi", "", "points.csv"},
		{"zsh", inZsh, "gfncp clu", "cluster", "cluster"},
		{"zsh", inZsh, "gfncp cluster --hea", "--header", "--header"},
		{"zsh", inZsh, "gfncp cluster poi", "points.csv", "points.csv"},
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
