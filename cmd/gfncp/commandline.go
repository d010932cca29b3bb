package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/internal/usererr"
)

// commandLine is a command line taken apart.
type commandLine struct {
	command *cli.Command // the innermost named command, or nil
	path    []string     // the words that lead to it, with the program's name and its own flags
	flags   []string     // the flags with their values
	args    []string     // the arguments
	raw     bool         // a lone "--" stands before the last of the arguments
	open    string       // the flag at the end whose value is not there yet, or ""
}

// takeApart sorts the words of a command line, the program's name first.
func takeApart(app *cli.App, line []string) (w commandLine) {
	at, commands := 0, app.Commands
	for ; at < len(line); at++ {
		own := at == 0 || w.command == nil && strings.HasPrefix(line[at], "-") // of the program
		if next := named(commands, line[at]); !own && next != nil {
			w.command, commands = next, next.Subcommands
		} else if !own {
			break
		}
		w.path = append(w.path, line[at])
	}
	for ; at < len(line); at++ {
		a := line[at]
		switch f := flagOf(w.command, a); {
		case a == "--":
			w.args, w.raw = append(w.args, line[at+1:]...), true
			return w
		case a == "-" || !strings.HasPrefix(a, "-"):
			w.args = append(w.args, a)
		case f == nil || !f.TakesValue():
			w.flags = append(w.flags, a)
		case at+1 == len(line):
			w.open = a
		default:
			w.flags = append(w.flags, a, line[at+1])
			at++
		}
	}
	return w
}

// flagsFirst returns the command line with the command's flags before its arguments, where the cli library wants them,
// so that `gfncp cluster points.csv --json` means what it says. Words after a lone "--" stay arguments.
func flagsFirst(app *cli.App, line []string) []string {
	w := takeApart(app, line)
	switch {
	case w.command == nil || w.command.SkipFlagParsing:
		return line
	case w.open != "": // its value is missing: the library says so
		return slices.Concat(w.path, w.flags, []string{w.open})
	case w.raw:
		w.flags = append(w.flags, "--")
	}
	return slices.Concat(w.path, w.flags, w.args)
}

// named returns the command of a name, or nil.
func named(commands []*cli.Command, name string) *cli.Command {
	if i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) }); i >= 0 {
		return commands[i]
	}
	return nil
}

// flagOf returns the flag that a word such as --model names, or nil: for --model=NAME, too.
func flagOf(command *cli.Command, word string) cli.DocGenerationFlag {
	if command == nil {
		return nil
	}
	for _, f := range command.Flags {
		if documented, ok := f.(cli.DocGenerationFlag); ok && slices.Contains(f.Names(), strings.TrimLeft(word, "-")) {
			return documented
		}
	}
	return nil
}

// usageError makes a wrong flag one line with the flag that was meant, and exit status 2.
func usageError(c *cli.Context, err error, _ bool) error {
	const unknown = "flag provided but not defined: -"
	hint := "see " + c.Command.HelpName + " --help"
	if name, ok := strings.CutPrefix(err.Error(), unknown); ok {
		known := answer.Each(c.Command.VisibleFlags(), func(f cli.Flag) string { return "--" + f.Names()[0] })
		name = "--" + strings.TrimLeft(name, "-")
		return usererr.New(usererr.DidYouMean(name, known, hint), "flag provided but not defined: %s", name)
	}
	return usererr.New(hint, "%s", strings.Replace(err.Error(), " flag -", " flag --", 1))
}

// unknownCommand is the fault of a word after path that names no visible command.
func unknownCommand(path string, commands []*cli.Command, word string) error {
	known := answer.Each(commands, func(c *cli.Command) string { return c.Name })
	_, group, _ := strings.Cut(path+" ", " ")
	return usererr.New(usererr.DidYouMean(word, known, "see "+path+" --help"), "unknown command %q", group+word)
}
