package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/sweep"
	"github.com/gfncp/gfncp/train"
)

// scripts are the shells' halves of completion: each asks `gfncp __complete WORD...` what may stand for the last word.
//
//go:embed completion/gfncp.*
var scripts embed.FS

// shells are those that there is a script for.
var shells = []string{"bash", "zsh", "fish"}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print a script that completes command lines in bash, zsh or fish", ArgsUsage: "bash|zsh|fish",
		Description: "Put the line of your shell into its startup file.\n\nExamples:\n" +
			"  source <(gfncp completion bash)      in ~/.bashrc\n" +
			"  source <(gfncp completion zsh)       in ~/.zshrc, after compinit\n" +
			"  gfncp completion fish | source       in ~/.config/fish/config.fish",
		Action: func(c *cli.Context) error {
			shell := c.Args().First()
			script, err := scripts.ReadFile("completion/gfncp." + shell)
			if err != nil {
				return usererr.Unknown(shell, shells, "there is no completion for %q", shell)
			}
			_, err = c.App.Writer.Write(script)
			return err
		},
	}
}

// completeCommand answers the scripts: a line "WORD<tab>MEANING" for each word that may stand for the last one, and
// ":paths" if a file may, too.
func completeCommand() *cli.Command {
	return &cli.Command{
		Name: "__complete", Hidden: true, SkipFlagParsing: true, Usage: "answer a completion script", ArgsUsage: "[WORD...]",
		Action: func(c *cli.Context) error {
			words, paths := suggest(c.App, append([]string{c.App.Name}, c.Args().Slice()...))
			for _, w := range words {
				fmt.Fprintf(c.App.Writer, "%s\t%s\n", w.word, w.meaning)
			}
			if paths {
				fmt.Fprintln(c.App.Writer, ":paths")
			}
			return nil
		},
	}
}

// suggestion is a word that may stand for the last one of a command line.
type suggestion struct{ word, meaning string }

// suggest returns what may stand for the last word of a command line, and whether paths may.
func suggest(app *cli.App, line []string) (words []suggestion, paths bool) {
	last, before := line[len(line)-1], takeApart(app, line[:len(line)-1])
	path := strings.Join(before.path, " ")
	flag, _, assigned := strings.Cut(last, "=")
	switch {
	case before.open != "": // the value of the flag before it
		words, paths = valuesOf(path, before.command, before.open, "")
	case assigned && strings.HasPrefix(last, "-"):
		words, paths = valuesOf(path, before.command, flag, flag+"=")
	case strings.HasPrefix(last, "-") && !before.raw:
		words = flagsOf(app, before.command)
	default:
		words, paths = argumentsOf(app, before)
	}
	words = slices.DeleteFunc(words, func(s suggestion) bool { return !strings.HasPrefix(s.word, last) })
	return words, paths
}

// valuesOf returns the values of a flag, each after a prefix. Paths may stand for the value of a text that is no list.
func valuesOf(path string, command *cli.Command, flag, prefix string) (words []suggestion, paths bool) {
	f := flagOf(command, flag)
	if f == nil || !f.TakesValue() {
		return nil, false
	}
	name := "--" + f.Names()[0]
	v, known := flagValues[path+" "+name]
	if !known {
		v, known = flagValues[name]
	}
	if !known {
		_, isText := f.(*cli.StringFlag)
		return nil, isText
	}
	return v.suggestions(prefix), v.paths
}

// flagsOf lists the flags of a command, or of the program.
func flagsOf(app *cli.App, command *cli.Command) (words []suggestion) {
	flags := app.VisibleFlags()
	if command != nil {
		flags = append(command.VisibleFlags(), cli.HelpFlag)
	}
	for _, f := range flags {
		if documented, ok := f.(cli.DocGenerationFlag); ok {
			words = append(words, suggestion{"--" + f.Names()[0], documented.GetUsage()})
		}
	}
	return words
}

// argumentsOf lists the commands that may follow, and what may be the next argument of a command.
func argumentsOf(app *cli.App, before commandLine) (words []suggestion, paths bool) {
	commands := app.Commands
	if c := before.command; c != nil {
		commands = c.Subcommands
		if c.Name == "help" {
			inner := takeApart(app, append([]string{app.Name}, before.args...))
			commands = app.Commands
			if inner.command != nil {
				commands = inner.command.Subcommands
			}
			before.args = inner.args
		}
	}
	if len(before.args) == 0 {
		for _, c := range commands {
			if !c.Hidden {
				words = append(words, suggestion{c.Name, c.Usage})
			}
		}
	}
	if before.command == nil || len(before.args) > 0 && !strings.HasSuffix(before.command.ArgsUsage, "...]") {
		return words, false
	}
	v := arguments[strings.Join(before.path[1:], " ")]
	return append(words, v.suggestions("")...), v.paths
}

// values are the words that may stand in a place, and whether a path may.
type values struct {
	words func() []string
	paths bool
}

func (v values) suggestions(prefix string) (words []suggestion) {
	if v.words == nil {
		return nil
	}
	for _, w := range v.words() {
		words = append(words, suggestion{word: prefix + w})
	}
	return words
}

// oneOf are words that stand fast.
func oneOf(words ...string) values { return values{words: func() []string { return words }} }

// within lists the folders in a folder.
func within(folder string) func() []string {
	return func() (folders []string) {
		entries, _ := os.ReadDir(folder) // without it there is nothing to offer
		for _, e := range entries {
			if e.IsDir() {
				folders = append(folders, filepath.Join(folder, e.Name()))
			}
		}
		return folders
	}
}

var (
	path       = values{paths: true}
	aModel     = values{func() []string { return append(root.Names(), within("runs")()...) }, true}
	aDecoder   = values{func() []string { return append(decodingModels(), within("runs")()...) }, true}
	aRun       = values{within("runs"), true}
	aSweep     = values{within("sweeps"), true}
	aScale     = oneOf(string(experiments.Smoke), string(experiments.Small), string(experiments.Paper))
	aFactor    = oneOf("auto", "none")
	yesOrNo    = oneOf("auto", "yes", "no")
	configKeys = values{words: func() []string { return each(train.Keys(), func(k string) string { return k + "=" }) }}
	dataNames  = values{words: func() []string {
		return each(dataSets(data.Descriptor.HasSplits), func(d data.Descriptor) string { return d.Name })
	}}
)

func each[T any](list []T, word func(T) string) (words []string) {
	for _, v := range list {
		words = append(words, word(v))
	}
	return words
}

// flagValues are the values of flags, by the flag or by its command and the flag. Other flags of text take paths.
var flagValues = map[string]values{
	"--model": aModel, "gfncp cluster --model": aDecoder, "gfncp score --model": aDecoder, "gfncp train --model": {words: train.Models}, "--backend": oneOf("auto", "go", "xla:cpu", "xla:cuda"),
	"gfncp train --data": {root.Sources, true},
	"--resume":           aRun, "--run": aRun, "--set": configKeys,
	"--scale": aScale, "gfncp cluster --scale": aFactor, "gfncp score --scale": aFactor,
	"--decode": oneOf("greedy", "vi", "binder", "beam"), "--header": yesOrNo, "--invert": yesOrNo,
	"--columns": {}, "--labels": {}, "--title": {}, "--sha256": {}, "--partition": {}, "--account": {}, "--time": {}, "--gpus": {}, "--memory": {},
	"--train":    oneOf(string(experiments.TrainMissing), string(experiments.TrainAlways), string(experiments.TrainNever)),
	"--executor": {words: func() []string { return each(executors(), sweep.Executor.Name) }}, "--install-pjrt": oneOf("cpu", "cuda"),
	"gfncp bench --only": {words: benchmarks.Groups}, "gfncp reproduce --only": {words: experiments.OnlyWords},
}

// arguments are the arguments of commands.
var arguments = map[string]values{
	"cluster": path, "score": path, "sweep": path, "sweep plan": path, "check": aModel,
	"describe":     {func() []string { return append(experiments.IDs(), aModel.words()...) }, true},
	"reproduce":    {words: func() []string { return append(experiments.IDs(), "all") }},
	"sweep status": aSweep, "sweep resume": aSweep, "sweep retry-failed": aSweep, "sweep cancel": aSweep, "sweep results": aSweep,
	"data fetch": dataNames, "data verify": dataNames, "data path": dataNames, "completion": oneOf(shells...),
}
