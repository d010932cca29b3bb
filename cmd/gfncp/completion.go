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
	"github.com/gfncp/gfncp/train"
)

// scripts are the shells' halves of completion: each asks `gfncp __complete WORD...` what may stand for the last word.
//
//go:embed completion/gfncp.*
var scripts embed.FS

// shells are those that there is a script for.
var shells = []string{"bash", "zsh", "fish"}

func completion(c *cli.Context) error {
	shell := c.Args().First()
	script, err := scripts.ReadFile("completion/gfncp." + shell)
	if err != nil {
		return usererr.Unknown(shell, shells, "there is no completion for %q", shell)
	}
	_, err = c.App.Writer.Write(script)
	return err
}

// complete answers the scripts: a line "WORD<tab>MEANING" for each word that may stand for the last one, and ":paths"
// if a file may, too.
func complete(c *cli.Context) error {
	for _, line := range suggest(c.App, append([]string{c.App.Name}, c.Args().Slice()...)) {
		fmt.Fprintln(c.App.Writer, line)
	}
	return nil
}

// suggest returns the answer for the last word of a command line.
func suggest(app *cli.App, line []string) (answer []string) {
	last, before := line[len(line)-1], takeApart(app, line[:len(line)-1])
	flag, _, assigned := strings.Cut(last, "=")
	switch {
	case before.open != "": // the value of the flag before it
		answer = valuesOf(before, before.open).after("")
	case assigned && strings.HasPrefix(last, "-"):
		answer = valuesOf(before, flag).after(flag + "=")
	case strings.HasPrefix(last, "-") && !before.raw:
		answer = flagsOf(app, before.command)
	default:
		answer = argumentsOf(app, before)
	}
	return slices.DeleteFunc(answer, func(s string) bool { return s != aPath && !strings.HasPrefix(s, last) })
}

// valuesOf returns the values of a flag. Paths may stand for the value of a text that is no list.
func valuesOf(line commandLine, flag string) values {
	f := flagOf(line.command, flag)
	if f == nil || !f.TakesValue() {
		return nil
	}
	name := "--" + f.Names()[0]
	for _, place := range []string{strings.Join(line.path, " ") + " " + name, name} {
		if v, known := flagValues[place]; known {
			return v
		}
	}
	if _, isText := f.(*cli.StringFlag); isText {
		return paths
	}
	return nil
}

// flagsOf lists the flags of a command, or of the program.
func flagsOf(app *cli.App, command *cli.Command) (answer []string) {
	flags := app.VisibleFlags()
	if command != nil {
		flags = append(command.VisibleFlags(), cli.HelpFlag)
	}
	for _, f := range flags {
		if documented, ok := f.(cli.DocGenerationFlag); ok {
			answer = append(answer, "--"+f.Names()[0]+"\t"+documented.GetUsage())
		}
	}
	return answer
}

// argumentsOf lists the commands that may follow, and what may be the next argument of a command.
func argumentsOf(app *cli.App, before commandLine) (answer []string) {
	within := before
	if c := before.command; c != nil && c.Name == "help" {
		within = takeApart(app, append([]string{app.Name}, before.args...))
	}
	commands := app.VisibleCommands()
	if within.command != nil {
		commands = within.command.VisibleCommands()
	}
	if len(within.args) == 0 {
		answer = each(commands, func(c *cli.Command) string { return c.Name + "\t" + c.Usage })
	}
	if before.command == nil || len(within.args) > 0 && !strings.HasSuffix(before.command.ArgsUsage, "...]") {
		return answer
	}
	return append(answer, arguments[strings.Join(before.path[1:], " ")].after("")...)
}

// values are the words that may stand in a place; aPath among them stands for any path.
type values func() []string

const aPath = ":paths"

// after puts the values behind a prefix, for an answer.
func (v values) after(prefix string) []string {
	if v == nil {
		return nil
	}
	return each(v(), func(word string) string {
		if word == aPath {
			return word
		}
		return prefix + word + "\t"
	})
}

// oneOf are words that stand fast.
func oneOf(words ...string) values { return func() []string { return words } }

// either are the values of all, one after another.
func either(all ...values) values {
	return func() (words []string) {
		for _, v := range all {
			words = append(words, v()...)
		}
		return words
	}
}

// within lists the folders in a folder.
func within(folder string) values {
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

func each[T any](list []T, word func(T) string) (words []string) {
	for _, v := range list {
		words = append(words, word(v))
	}
	return words
}

var (
	paths     = oneOf(aPath)
	aRun      = either(within("runs"), paths)
	aModel    = either(root.Models, aRun)
	aDecoder  = either(decodingModels, aRun)
	aSweep    = either(within("sweeps"), paths)
	aScale    = oneOf(scaleNames()...)
	aFactor   = oneOf("auto", "none")
	yesOrNo   = oneOf("auto", "yes", "no")
	aTraining = oneOf(string(experiments.TrainMissing), string(experiments.TrainAlways), string(experiments.TrainNever))
)

func configKeys() []string { return each(train.Keys(), func(k string) string { return k + "=" }) }

func dataNames() []string {
	return each(dataSets(data.Descriptor.HasSplits), func(d data.Descriptor) string { return d.Name })
}

// flagValues are the values of flags, by the flag or by its command and the flag. Other flags of text take paths.
var flagValues = map[string]values{
	"--model": aModel, "gfncp cluster --model": aDecoder, "gfncp score --model": aDecoder,
	"gfncp predict --model": aDecoder, "gfncp stream --model": aDecoder,
	"gfncp train --model": train.Models,
	"--backend":           oneOf("auto", "go", "xla:cpu", "xla:cuda"),
	"gfncp train --data":  either(root.Sources, paths),
	"--resume":            aRun, "--run": aRun, "--set": configKeys,
	"--scale": aScale, "gfncp cluster --scale": aFactor, "gfncp score --scale": aFactor,
	"--header": yesOrNo, "--invert": yesOrNo,
	"--columns": nil, "--ignore": nil, "--categorical": nil, "--labels": nil, "--title": nil,
	"--given": nil, "--weights": nil, "--k": nil,
	"--time":  nil,
	"--train": aTraining, "--install-pjrt": paths,
	"gfncp bench --only": benchmarks.Groups, "gfncp reproduce --only": experiments.OnlyWords,
}

// arguments are the arguments of commands.
var arguments = map[string]values{
	"cluster": paths, "predict": paths, "score": paths, "sweep": paths, "sweep plan": paths, "check": aModel,
	"describe":     either(experiments.IDs, root.Models, aRun),
	"reproduce":    either(experiments.IDs, oneOf("all")),
	"sweep status": aSweep, "sweep results": aSweep,
	"data fetch": dataNames, "data verify": dataNames, "data path": dataNames, "completion": oneOf(shells...),
}
