package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/internal/usererr"
)

// innermost returns the command that the first words of a command line name, or nil, and the number of these words.
func innermost(app *cli.App, line []string) (command *cli.Command, words int) {
	commands := app.Commands
	for ; words < len(line); words++ {
		own := words == 0 || command == nil && strings.HasPrefix(line[words], "-") // the program's name and flags
		next := named(commands, line[words])
		if !own && next == nil {
			break
		}
		if !own {
			command, commands = next, next.Subcommands
		}
	}
	return command, words
}

// flagsFirst returns the command line with the command's flags before its arguments, where the cli library wants them,
// so that `gfncp cluster points.csv --json` means what it says. Words after a lone "--" stay arguments.
func flagsFirst(app *cli.App, line []string) []string {
	command, at := innermost(app, line)
	if command == nil {
		return line
	}
	flags, args := line[:at:at], []string(nil)
	for rest := line[at:]; len(rest) > 0; {
		word, f := rest[0], flagOf(command, rest[0])
		switch {
		case word == "--":
			return slices.Concat(flags, []string{"--"}, args, rest[1:])
		case word == "-" || !strings.HasPrefix(word, "-"):
			args, rest = append(args, word), rest[1:]
		case f == nil || !f.TakesValue():
			flags, rest = append(flags, word), rest[1:]
		case len(rest) == 1:
			return append(flags, word) // its value is missing: the library says so
		default:
			flags, rest = append(flags, rest[:2]...), rest[2:]
		}
	}
	return append(flags, args...)
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
