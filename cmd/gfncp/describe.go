package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/experiments"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/train"
)

func describe(c *cli.Context) error {
	id := c.Args().First()
	if e, err := experiments.Find(id); err == nil {
		return describeExperiment(c, e)
	}
	m, err := findModel(c, id)
	if err == nil {
		return show(c, map[string]any{"schema_version": 1, "card": m.Card, "config": m.Config}, "model", m)
	}
	if config, fault := train.ReadConfig(id); fault == nil && !exists(train.BestPath(id)) {
		result := map[string]any{"schema_version": 1, "card": nil, "config": config}
		return show(c, result, "unvalidated", map[string]any{"Dir": id, "Config": config})
	}
	if !exists(id) {
		known := append(experiments.IDs(), root.Models()...)
		return usererr.New(usererr.DidYouMean(id, known, "see gfncp list"),
			"%q is no table, figure, model, run or file", id)
	}
	return err
}

// namedConfig is a training of an experiment in JSON output.
type namedConfig struct {
	Name   string       `json:"name"`
	Config train.Config `json:"config"`
}

func describeExperiment(c *cli.Context, e experiments.Experiment) error {
	configs := map[experiments.Scale][]namedConfig{}
	for _, scale := range experiments.Scales() {
		for _, cell := range e.Configs(scale) {
			configs[scale] = append(configs[scale], namedConfig(cell))
		}
	}
	differences, err := differing(configs[experiments.Small])
	if err != nil {
		return err
	}
	result := struct {
		SchemaVersion int `json:"schema_version"`
		listed
		Configs map[experiments.Scale][]namedConfig `json:"configs"`
	}{1, listed{e.ID, e.Title, e.Built}, configs}
	where := "beyond the paper"
	if place := place(e); place != "" {
		where = "paper, " + place
	}
	return show(c, result, "experiment", map[string]any{
		"E": e, "Where": where, "Whole": c.Bool("config"), "Scales": experiments.Scales(), "Configs": configs,
		"Extents": extents(configs), "Differences": differenceLines(configs[experiments.Small], differences),
	})
}

// place says where an experiment stands in the paper: "section 5.3" or "appendix", and nothing if it is beyond it.
func place(e experiments.Experiment) string {
	switch e.Section {
	case "beyond the paper":
		return ""
	case "appendix":
		return e.Section
	}
	return "section " + e.Section
}

// extents say how much is trained at each scale.
func extents(configs map[experiments.Scale][]namedConfig) (lines []string) {
	for _, scale := range experiments.Scales() {
		if cells := configs[scale]; len(cells) > 0 {
			lines = append(lines, fmt.Sprintf("%-6s %s; %s", scale, text.Plural(scale.Seeds(), "seed"), extent(cells)))
		}
	}
	return lines
}

// differenceLines put what differs beside the names of trainings.
func differenceLines(cells []namedConfig, differences [][]string) (lines []string) {
	width := 0
	for _, cell := range cells {
		width = max(width, utf8.RuneCountInString(cell.Name))
	}
	for i, cell := range cells {
		what := cmp.Or(strings.Join(differences[i], ", "), "nothing")
		lines = append(lines, fmt.Sprintf("%-*s  %s", width, cell.Name, what))
	}
	return lines
}

// extent says how much some trainings are: their steps, sets a step and points a set.
func extent(cells []namedConfig) string {
	var steps, sets, points []int
	for _, c := range cells {
		d := c.Config.Data
		steps, sets, points = append(steps, c.Config.Train.Steps), append(sets, d.Batch), append(points, d.NMin, d.NMax)
	}
	return fmt.Sprintf("%d trainings of %s steps, each of %s sets of %s points",
		len(cells), span(steps), span(sets), span(points))
}

// span writes the least and the largest of some numbers.
func span(numbers []int) string {
	low, high := slices.Min(numbers), slices.Max(numbers)
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d..%d", low, high)
}

// differing lists for each training the keys, as --set takes them, whose value is not the one that most trainings have,
// but for those that follow from the data set.
func differing(cells []namedConfig) ([][]string, error) {
	flat, all := make([]map[string]string, len(cells)), make([][]string, len(cells))
	for i, cell := range cells {
		var tree map[string]any
		if err := toml.Unmarshal([]byte(cell.Config.String()), &tree); err != nil {
			return nil, fmt.Errorf("read the config of %s: %w", cell.Name, err)
		}
		flat[i] = map[string]string{}
		flatten(flat[i], "", tree)
	}
	for _, key := range train.Keys() {
		counts := map[string]int{}
		for _, values := range flat {
			if value, ok := values[key]; ok {
				counts[value]++
			}
		}
		if len(counts) == 0 || key != sourceKey && follows(flat, key) {
			continue
		}
		byCount := func(a, b string) int { return cmp.Compare(counts[a], counts[b]) }
		usual := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), byCount)
		for i, values := range flat {
			if value, ok := values[key]; ok && value != usual {
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
