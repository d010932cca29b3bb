package main

import (
	"cmp"
	_ "embed"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

// commands is the tree of all commands. help.txt explains them, and their files hold their actions.
func commands() []*cli.Command {
	return slices.Concat(modelCommands(), trainingCommands(), []*cli.Command{
		{Name: "data", Subcommands: dataCommands()},
		{Name: "fetch", Subcommands: []*cli.Command{
			{Name: "weights", Flags: flags("from to quiet"), Action: fetchWeights},
		}},
		{Name: "report", Flags: flags(resultsFlag()), Action: report},
		{Name: "board", Flags: flags("port quiet"), Action: boardAction},
		sweepCommand(),
		{Name: "help", Action: help},
	})
}

// modelCommands cluster and score the user's points.
func modelCommands() []*cli.Command {
	const common = "backend" + tableFlags + "scale seed json quiet "
	clusters := &cli.StringFlag{Name: "model", DefaultText: root.MixtureModel + "; for images " + root.ImageModel}
	scores := &cli.StringFlag{Name: "model", DefaultText: `"` + defaultModel + `"`}
	longest := &cli.DurationFlag{Name: "time", DefaultText: "none"}
	return []*cli.Command{
		{Name: "cluster", Action: cluster, Flags: flags(clusters,
			common+"categorical samples k together apart given weights missing", longest,
			"invert out co-clustering plot html save memory-limit")},
		{Name: "predict", Action: predict, Flags: flags(
			"model backend columns header missing invert samples seed out json quiet")},
		{Name: "score", Action: score, Flags: flags(scores, common+"orders energies memory-limit")},
		{Name: "stream", Action: stream, Flags: flags(modelFlag(streamModel), "backend like strict json quiet")},
		{Name: "serve", Action: serve, Flags: flags("stdio backend memory-limit")},
	}
}

// trainingCommands train and evaluate models.
func trainingCommands() []*cli.Command {
	return []*cli.Command{
		{Name: "train", Action: trainAction, Flags: flags(modelFlag(train.GFNCP),
			&cli.StringFlag{Name: "data", Value: data.SourceMoG},
			&cli.StringFlag{Name: "recipe", Value: train.RecipePaper}, "config set",
			number("seed", "the config's"),
			"out resume tensorboard show-config json quiet data-dir backend memory-limit"+tableFlags,
			"categorical no-standardize")},
		{Name: "eval", Action: measuring(eval), Flags: flags(modelFlag(defaultModel), "backend",
			&cli.StringFlag{Name: "protocol", Value: protocolHonest},
			&cli.StringFlag{Name: "split", Value: data.SplitTest},
			number("sets", "500, published 3200"), number("points", "300, feature sets 50"),
			&cli.Float64Flag{Name: "alpha", Value: 6, DefaultText: "6, images and vectors 1"},
			number("clusters", "the model's data.fixed_k; with --alpha: 0"),
			"sdpp seed json data-dir memory-limit")},
		{Name: "export", Action: export, Flags: flags(modelFlag(defaultModel), "out half force json")},
		{Name: "list", Action: list, Flags: flags("json")},
		{Name: "describe", Action: describe, Flags: flags("json")},
		{Name: "reproduce", Action: reproduce, Flags: flags(scaleFlag(), "seeds only set",
			&cli.StringFlag{Name: "train", Value: string(experiments.TrainMissing)},
			"data-dir out runs json quiet backend memory-limit")},
		{Name: "bench", Action: measuring(bench), Flags: flags("backend repeats")},
		{Name: "doctor", Action: measuring(doctor), Flags: flags("json backend")},
	}
}

//go:embed help.txt
var helpFile string

// helpText is the text about a command in help.txt.
type helpText struct {
	arguments, usage, synopsis, description string
	flags                                   map[string]string
}

// helpTexts reads help.txt: a heading "# PATH: ARGUMENTS", a line of usage, lines "--FLAG: USAGE" and, each after a
// line "--", a synopsis, if there is one, and a description.
func helpTexts() map[string]helpText {
	ids := text.Wrap(strings.Join(experiments.IDs(), ", ")+" or all.", 100, utf8.RuneCountInString)
	filled := strings.NewReplacer("{IDS}", strings.Join(ids, "\n"), "{TABLES}", table.TableFiles(),
		"{DECODERS}", strings.Join(decodingModels(), ", "), "{MODELS}", strings.Join(root.Models(), ", "),
		"{KINDS}", strings.Join(train.Models(), ", "),
		"{SOURCES}", strings.Join(root.Sources(), ", ")).Replace(helpFile)
	texts := map[string]helpText{}
	for _, section := range strings.Split("\n"+filled, "\n# ")[1:] {
		parts := strings.Split(strings.TrimSpace(section), "\n--\n")
		lines, more := strings.Split(parts[0], "\n"), parts[1:]
		path, arguments, _ := strings.Cut(lines[0], ": ")
		t := helpText{arguments: arguments, usage: lines[1], flags: map[string]string{}}
		for _, line := range lines[2:] {
			name, usage, _ := strings.Cut(strings.TrimPrefix(line, "--"), ": ")
			t.flags[name] = usage
		}
		if last := len(more) - 1; last >= 0 {
			t.synopsis, t.description = strings.Join(more[:last], ""), more[last]
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

// finish sets a command's help texts and the common behaviour: faults in one line, a check of the arguments by
// ArgsUsage, and help as the action of a command that only groups others. It leaves out the library's help
// sub-commands, because gfncp help serves all.
func finish(path string, c *cli.Command, texts map[string]helpText) {
	t := texts[path]
	c.Usage, c.ArgsUsage, c.UsageText, c.Description = t.usage, t.arguments, t.synopsis, t.description
	c.HideHelpCommand, c.OnUsageError = true, usageError
	for _, f := range c.Flags {
		if is, ok := f.(*cli.BoolFlag); ok {
			is.DisableDefaultText = true // a switch is off
		}
		explain(f, path, texts)
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
		err := action(c)
		if faster := engine.Faster(); faster != "" && c.Command.Name != "doctor" {
			say(c, "%s", faster)
		}
		return err
	}
}

// Help writes --k as all other flags; the library would write -k.
func init() {
	usual := cli.FlagStringer
	cli.FlagStringer = func(f cli.Flag) string { return "--" + strings.TrimLeft(usual(f), "-") }
}

// explain gives a flag the usage that stands at its command or at one above it. All the library's flags have the field.
func explain(f cli.Flag, path string, texts map[string]helpText) {
	for ; path != ""; path = path[:max(0, strings.LastIndex(path, " "))] {
		if usage, known := texts[path].flags[f.Names()[0]]; known {
			reflect.ValueOf(f).Elem().FieldByName("Usage").SetString(usage)
			return
		}
	}
}

// checkArguments checks the number of arguments by the command's ArgsUsage: any for "[NAME...]", at most 1 for
// "[NAME]", else the number of words.
func checkArguments(c *cli.Context) error {
	what, n := c.Command.ArgsUsage, c.NArg()
	most := len(strings.Fields(what))
	optional, takes := strings.HasPrefix(what, "["), cmp.Or(what, "no argument")
	if strings.HasSuffix(what, "...]") || n == most || optional && n < most {
		return nil
	}
	return usererr.New("see "+c.Command.HelpName+" --help", "%s takes %s, but got %s", c.Command.HelpName, takes,
		text.Count(n, "argument"))
}

// help is `gfncp help`: the same as --help of a command.
func help(c *cli.Context) error {
	if !c.Args().Present() {
		return cli.ShowAppHelp(c)
	}
	line := append([]string{c.App.Name}, c.Args().Slice()...)
	if command, words := innermost(c.App, line); command != nil && words < len(line) {
		return unknownCommand(strings.Join(line[:words], " "), command.VisibleCommands(), line[words])
	}
	return c.App.RunContext(c.Context, append(line, "--help"))
}
