package main

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
)

// commands is the tree of all commands. help.txt explains them, and their files say what they do.
func commands() []*cli.Command {
	return []*cli.Command{
		{Name: "cluster", Flags: clusterFlags(), Action: cluster},
		{Name: "score", Flags: scoreFlags(), Action: score},
		{Name: "train", Flags: trainFlags(), Action: trainAction},
		{Name: "eval", Flags: evalFlags(), Action: eval},
		{Name: "export", Flags: exportFlags(), Action: export},
		{Name: "list", Flags: []cli.Flag{asJSON()}, Action: list},
		{Name: "describe", Flags: describeFlags(), Action: describe},
		{Name: "reproduce", Flags: reproduceFlags(), Action: reproduce},
		{Name: "bench", Flags: benchFlags(), Action: bench},
		{Name: "doctor", Flags: doctorFlags(), Action: doctorAction},
		{Name: "data", Subcommands: dataCommands()},
		{Name: "features", Subcommands: []*cli.Command{
			{Name: "dino", Flags: dinoFlags(), Action: dino},
			{Name: "check", Flags: featuresCheckFlags(), Action: featuresCheck, Hidden: true},
		}},
		{Name: "check", Flags: checkFlags(), Action: check},
		{Name: "report", Flags: reportFlags(), Action: report},
		sweepCommand(),
		{Name: "help", Action: help},
		{Name: "completion", Action: completion},
		{Name: "__complete", Action: complete, Hidden: true, SkipFlagParsing: true},
		{Name: "man", Action: man},
	}
}

//go:embed help.txt
var helpFile string

// helpText is what help.txt says of a command.
type helpText struct{ arguments, usage, synopsis, description string }

// helpTexts reads help.txt: a heading "# PATH: ARGUMENTS", a line of usage and, each after a line "--", a synopsis, if
// there is one, and a description.
func helpTexts() map[string]helpText {
	ids := text.Wrap(strings.Join(experiments.IDs(), ", ")+" or all.", 100, utf8.RuneCountInString)
	filled := strings.NewReplacer("{IDS}", strings.Join(ids, "\n"), "{TABLES}", table.Kept(nil).TableFiles()).Replace(helpFile)
	texts := map[string]helpText{}
	for _, section := range strings.Split("\n"+filled, "\n# ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		path, arguments, _ := strings.Cut(heading, ": ")
		parts := strings.Split(strings.TrimSpace(body), "\n--\n")
		t := helpText{arguments: arguments, usage: parts[0]}
		if more := parts[1:]; len(more) > 0 {
			t.synopsis, t.description = strings.Join(more[:len(more)-1], ""), more[len(more)-1]
		}
		texts[path] = t
	}
	return texts
}

// everyCommand calls do for each command and sub-command with the words that lead to it.
func everyCommand(path string, commands []*cli.Command, do func(path string, c *cli.Command)) {
	for _, c := range commands {
		do(path+" "+c.Name, c)
		everyCommand(path+" "+c.Name, c.Subcommands, do)
	}
}

// finish gives a command its texts and what all have alike: faults in one line, arguments as its ArgsUsage says, and, if
// it only stands before others, its help. The library's own help sub-commands are left out; gfncp help is one for all.
func finish(c *cli.Command, t helpText) {
	c.Usage, c.ArgsUsage, c.UsageText, c.Description = t.usage, t.arguments, t.synopsis, t.description
	c.HideHelpCommand, c.OnUsageError = true, usageError
	for _, f := range c.Flags {
		if is, ok := f.(*cli.BoolFlag); ok {
			is.DisableDefaultText = true // a switch is off
		}
	}
	action := c.Action
	c.Action = func(c *cli.Context) error {
		switch {
		case action == nil && c.Args().Present():
			return unknownCommand(c.Command.HelpName, c.Command.VisibleCommands(), c.Args().First())
		case action == nil:
			return cli.ShowSubcommandHelp(c)
		}
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

// help is `gfncp help`: the same as --help of a command.
func help(c *cli.Context) error {
	if !c.Args().Present() {
		return cli.ShowAppHelp(c)
	}
	line := append([]string{c.App.Name}, c.Args().Slice()...)
	if w := takeApart(c.App, line); len(w.args) > 0 && w.command != nil {
		return unknownCommand(strings.Join(w.path, " "), w.command.VisibleCommands(), w.args[0])
	}
	return c.App.RunContext(c.Context, append(line, "--help"))
}
