package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst returns the command line with the command's flags before its arguments, where the cli library wants them, so
// that `gfncp cluster points.csv --json` and `gfncp data fetch mnist --offline` mean what they say. What follows a lone "--" stays an argument.
func flagsFirst(app *cli.App, args []string) []string {
	at := slices.IndexFunc(args[min(1, len(args)):], func(a string) bool { return !strings.HasPrefix(a, "-") }) + 1
	if at == 0 || args[len(args)-1] == "--generate-bash-completion" {
		return args
	}
	command := app.Command(args[at])
	if command == nil {
		return args
	}
	for at+1 < len(args) { // down to the sub-command, if one is named
		sub := slices.IndexFunc(command.Subcommands, func(s *cli.Command) bool { return s.HasName(args[at+1]) })
		if sub < 0 {
			break
		}
		command, at = command.Subcommands[sub], at+1
	}
	flags, rest := slices.Clone(args[:at+1]), []string(nil)
	for i := at + 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return append(append(append(flags, "--"), rest...), args[i+1:]...)
		case a == "-" || !strings.HasPrefix(a, "-"):
			rest = append(rest, a)
		case takesValue(command, a):
			if i+1 == len(args) { // its value is missing: let the library say so
				return append(flags, a)
			}
			flags = append(flags, a, args[i+1])
			i++
		default:
			flags = append(flags, a)
		}
	}
	return append(flags, rest...)
}

// takesValue reports whether the flag, as written, has its value in the next word.
func takesValue(command *cli.Command, word string) bool {
	name := strings.TrimLeft(word, "-")
	for _, f := range command.Flags {
		if documented, ok := f.(cli.DocGenerationFlag); ok && slices.Contains(f.Names(), name) {
			return documented.TakesValue()
		}
	}
	return false // unknown, or --name=value
}
