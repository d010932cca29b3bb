package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/internal/usererr"
)

// commandLine is a command line taken apart.
type commandLine struct {
	command *cli.Command // the innermost one that is named, nil if there is none
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
		switch a := line[at]; {
		case a == "--":
			w.args, w.raw = append(w.args, line[at+1:]...), true
			return w
		case a == "-" || !strings.HasPrefix(a, "-"):
			w.args = append(w.args, a)
		case !takesValue(w.command, a):
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

// flagsFirst returns the command line with the command's flags before its arguments, where the cli library wants them, so
// that `gfncp cluster points.csv --json` means what it says. What follows a lone "--" stays an argument.
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

// takesValue reports whether the flag, as written, has its value in the next word.
func takesValue(command *cli.Command, word string) bool {
	f := flagOf(command, word)
	return f != nil && f.TakesValue()
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

// everyCommand calls do for each command and sub-command with the words that lead to it.
func everyCommand(path string, commands []*cli.Command, do func(path string, c *cli.Command)) {
	for _, c := range commands {
		do(path+" "+c.Name, c)
		everyCommand(path+" "+c.Name, c.Subcommands, do)
	}
}

// finish gives a command what all have alike: faults in one line, arguments as its ArgsUsage says, and, if it only
// stands before others, its help. The library's own help sub-commands are left out; gfncp help is one for all.
func finish(_ string, c *cli.Command) {
	c.HideHelpCommand, c.OnUsageError = true, usageError
	for _, f := range c.Flags {
		if is, ok := f.(*cli.BoolFlag); ok {
			is.DisableDefaultText = true // a switch is off
		}
	}
	action := c.Action
	if action == nil {
		c.Action = func(c *cli.Context) error {
			if c.Args().Present() {
				return unknownCommand(c.Command.HelpName, c.Command.Subcommands, c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		}
		return
	}
	c.Action = func(c *cli.Context) error {
		if err := checkArguments(c); err != nil {
			return err
		}
		return action(c)
	}
}

// checkArguments holds the number of arguments against the command's ArgsUsage: none for "", any for "[NAME...]", at most
// one for "[NAME]", else one.
func checkArguments(c *cli.Context) error {
	what, n := c.Command.ArgsUsage, c.NArg()
	hint, name := "see "+c.Command.HelpName+" --help", c.Command.HelpName
	switch optional := strings.HasPrefix(what, "["); {
	case strings.HasSuffix(what, "...]"):
		return nil
	case what == "" && n > 0:
		return usererr.New(hint, "%s takes no argument, but got %q", name, c.Args().First())
	case optional && n > 1:
		return usererr.New(hint, "%s takes at most one argument, %s, but got %d", name, strings.Trim(what, "[]"), n)
	case what != "" && !optional && n != 1:
		return usererr.New(hint, "%s takes one argument, %s, but got %d", name, what, n)
	}
	return nil
}

// usageError makes a wrong flag one line with the flag that was meant, and exit status 2.
func usageError(c *cli.Context, err error, _ bool) error {
	const unknown = "flag provided but not defined: -"
	hint := "see " + c.Command.HelpName + " --help"
	if name, ok := strings.CutPrefix(err.Error(), unknown); ok {
		var known []string
		for _, f := range c.Command.VisibleFlags() {
			known = append(known, "--"+f.Names()[0])
		}
		name = "--" + strings.TrimLeft(name, "-")
		return usererr.New(usererr.DidYouMean(name, known, hint), "flag provided but not defined: %s", name)
	}
	return usererr.New(hint, "%s", strings.Replace(err.Error(), " flag -", " flag --", 1))
}

// unknownCommand is the fault of a word after path that names none of the commands.
func unknownCommand(path string, commands []*cli.Command, word string) error {
	var known []string
	for _, c := range commands {
		if !c.Hidden {
			known = append(known, c.Name)
		}
	}
	_, group, _ := strings.Cut(path+" ", " ")
	return usererr.New(usererr.DidYouMean(word, known, "see "+path+" --help"), "unknown command %q", group+word)
}

// helpCommand is `gfncp help`: the same as --help of a command.
func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command", ArgsUsage: "[COMMAND...]",
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return cli.ShowAppHelp(c)
			}
			line := append([]string{c.App.Name}, c.Args().Slice()...)
			if w := takeApart(c.App, line); len(w.args) > 0 && w.command != nil {
				return unknownCommand(strings.Join(w.path, " "), w.command.Subcommands, w.args[0])
			}
			return c.App.RunContext(c.Context, append(line, "--help"))
		},
	}
}
