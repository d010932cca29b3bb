package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func describeCommand() *cli.Command {
	return &cli.Command{
		Name:      "describe",
		Usage:     "describe a table, a figure, a pretrained model, or a run with its whole config",
		ArgsUsage: "ID",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "config", Usage: "of a table or figure: the whole config of each training at each scale"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: describe,
	}
}

var allScales = []experiments.Scale{experiments.Smoke, experiments.Small, experiments.Paper}

func describe(c *cli.Context) error {
	id := c.Args().First()
	if e, err := experiments.Find(id); err == nil {
		return describeExperiment(c, e)
	}
	m, err := root.Find(id)
	if err == nil {
		return describeModel(c, m)
	}
	if config, fault := train.ReadConfig(id); fault == nil && !exists(train.BestPath(id)) {
		return describeUnvalidated(c, id, config)
	}
	if !exists(id) {
		known := append(experiments.IDs(), root.Names()...)
		return usererr.New(usererr.DidYouMean(id, known, "see gfncp list"), "%q is no table, figure, model, run or file", id)
	}
	return err
}

// namedConfig is a training of an experiment in JSON output.
type namedConfig struct {
	Name   string       `json:"name"`
	Config train.Config `json:"config"`
}

func describeExperiment(c *cli.Context, e experiments.Experiment) error {
	if c.Bool("json") {
		configs := map[experiments.Scale][]namedConfig{}
		for _, scale := range allScales {
			for _, cell := range e.Configs(scale) {
				configs[scale] = append(configs[scale], namedConfig(cell))
			}
		}
		return printJSON(c.App.Writer, struct {
			SchemaVersion int `json:"schema_version"`
			listed
			Configs map[experiments.Scale][]namedConfig `json:"configs"`
		}{1, listed{e.ID, e.Title, e.Built}, configs})
	}
	out := c.App.Writer
	fmt.Fprintf(out, "%s: %s (%s)\n  shows    %s\n", e.ID, e.Title, place(e), e.Shows)
	fmt.Fprintf(out, "  built    %s\n  expect   %s\n", e.Built, e.Expect)
	fmt.Fprintf(out, "  command  gfncp reproduce %s --scale smoke|small|paper\n", e.ID)
	if c.Bool("config") {
		for _, scale := range allScales {
			for _, cell := range e.Configs(scale) {
				fmt.Fprintf(out, "\n# %s, %s, %d seeds\n%s", scale, cell.Name, scale.Seeds(), cell.Config)
			}
		}
		return nil
	}
	return describeTrainings(out, e)
}

// place says where an experiment stands in the paper.
func place(e experiments.Experiment) string {
	switch section := e.Section; {
	case strings.HasPrefix(section, "beyond"):
		return section
	case section == "appendix":
		return "paper, appendix"
	default:
		return "paper, section " + section
	}
}

// describeTrainings prints how much is trained at each scale, and what differs between the trainings at scale small.
func describeTrainings(out io.Writer, e experiments.Experiment) error {
	cells := e.Configs(experiments.Small)
	if len(cells) == 0 {
		return nil
	}
	fmt.Fprint(out, "\ntrainings, a seed each\n")
	for _, scale := range allScales {
		fmt.Fprintf(out, "  %-6s %s; %s\n", scale, text.Plural(scale.Seeds(), "seed"), extent(e.Configs(scale)))
	}
	differences, err := differing(cells)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\nwhat differs between them at scale small\n(left out: what most have in common, and what comes with the data set)\n")
	width := 0
	for _, cell := range cells {
		width = max(width, len([]rune(cell.Name)))
	}
	for i, cell := range cells {
		words := differences[i]
		if len(words) == 0 {
			words = []string{"nothing"}
		}
		fmt.Fprintf(out, "  %-*s  %s\n", width, cell.Name, strings.Join(words, ", "))
	}
	_, err = fmt.Fprintf(out, "\nwhole configs: gfncp describe %s --config, or --json\n", e.ID)
	return err
}

// extent says how much some trainings are: their steps, sets a step and points a set.
func extent(cells []experiments.NamedConfig) string {
	var steps, sets, points []int
	for _, c := range cells {
		d := c.Config.Data
		steps, sets, points = append(steps, c.Config.Train.Steps), append(sets, d.Batch), append(points, d.NMin, d.NMax)
	}
	return fmt.Sprintf("%d trainings of %s steps, each of %s sets of %s points", len(cells), span(steps), span(sets), span(points))
}

// span writes the least and the largest of some numbers.
func span(numbers []int) string {
	low, high := slices.Min(numbers), slices.Max(numbers)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d..%d", low, high)
}

// differing lists for each training the keys, as --set takes them, whose value is not the one that most trainings have, but for
// those that follow from the data set.
func differing(cells []experiments.NamedConfig) ([][]string, error) {
	flat := make([]map[string]string, len(cells))
	counts := map[string]map[string]int{} // by key and value
	for i, cell := range cells {
		var tree map[string]any
		if err := toml.Unmarshal([]byte(cell.Config.String()), &tree); err != nil {
			return nil, fmt.Errorf("read the config of %s: %w", cell.Name, err)
		}
		flat[i] = map[string]string{}
		flatten(flat[i], "", tree)
		for key, value := range flat[i] {
			if counts[key] == nil {
				counts[key] = map[string]int{}
			}
			counts[key][value]++
		}
	}
	common := map[string]string{}
	for key, values := range counts {
		for _, value := range slices.Sorted(maps.Keys(values)) {
			if best, ok := common[key]; !ok || values[value] > values[best] {
				common[key] = value
			}
		}
	}
	all := make([][]string, len(cells))
	for i, values := range flat {
		for _, key := range train.Keys() {
			if value, ok := values[key]; ok && value != common[key] && (key == sourceKey || !follows(flat, key)) {
				all[i] = append(all[i], key+"="+value)
			}
		}
	}
	return all, nil
}

const sourceKey = "data.source"

// follows reports whether a key has one value on each data set.
func follows(flat []map[string]string, key string) bool {
	valueOn := map[string]string{}
	for _, values := range flat {
		source := values[sourceKey]
		if known, ok := valueOn[source]; ok && known != values[key] {
			return false
		}
		valueOn[source] = values[key]
	}
	return len(valueOn) > 1
}

// flatten lists the values of a tree of TOML tables by their dotted keys.
func flatten(into map[string]string, prefix string, tree map[string]any) {
	for name, value := range tree {
		if inner, ok := value.(map[string]any); ok {
			flatten(into, prefix+name+".", inner)
		} else {
			into[prefix+name] = fmt.Sprint(value)
		}
	}
}

// describeUnvalidated prints a run's config while it has no weights to describe.
func describeUnvalidated(c *cli.Context, dir string, config train.Config) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"schema_version": 1, "card": nil, "config": config})
	}
	_, err := fmt.Fprintf(c.App.Writer, "%s: a run of a %s network that has not validated yet, so it has no weights to describe\n\n%s",
		dir, strings.ToUpper(config.Model), config)
	return err
}

// describeModel prints a model's card and config.
func describeModel(c *cli.Context, m *train.Model) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, map[string]any{"schema_version": 1, "card": m.Card, "config": m.Config})
	}
	out := c.App.Writer
	fmt.Fprintf(out, "%s: %s network, %d weights\n", m.Card.Name, strings.ToUpper(m.Config.Model), m.Params.Size())
	fmt.Fprintf(out, "  trained   %d steps in %.0f s on %s (%s)\n", m.Card.Steps, m.Card.Seconds, orUnknown(m.Card.Machine), orUnknown(m.Card.Backend))
	fmt.Fprintf(out, "  selected  %s (%.4g)\n", m.Card.Selected, m.Card.Loss)
	for _, name := range slices.Sorted(maps.Keys(m.Card.Metrics)) {
		fmt.Fprintf(out, "  %-34s %.4g\n", name, m.Card.Metrics[name])
	}
	for _, note := range m.Card.Notes {
		fmt.Fprintf(out, "  note      %s\n", note)
	}
	_, err := fmt.Fprintf(out, "\n%s", m.Config)
	return err
}
