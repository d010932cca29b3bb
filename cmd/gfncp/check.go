package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/evaluation"
)

func checkFlags() []cli.Flag {
	defaults := evaluation.DefaultCheck()
	return []cli.Flag{
		&cli.IntFlag{Name: "points", DefaultText: "50, or the nearest number that the model was trained on"},
		&cli.IntFlag{Name: "sets", Value: defaults.Sets},
		&cli.IntFlag{Name: "draws", Value: defaults.Draws},
		&cli.IntFlag{Name: "chains", Value: defaults.Chains},
		&cli.Uint64Flag{Name: "seed", Value: defaults.Seed},
		backendFlag(), boolFlag("json"), boolFlag("quiet"), memoryFlag(),
	}
}

// checked is what check prints as JSON.
type checked struct {
	SchemaVersion int    `json:"schema_version"`
	Model         string `json:"model"`
	Backend       string `json:"backend"`
	*evaluation.CheckReport
}

func check(c *cli.Context) error {
	name := c.Args().First()
	m, err := findModel(c, name)
	if err != nil {
		return err
	}
	backend, where, err := openBackend(c)
	if err != nil {
		return err
	}
	settings := evaluation.CheckSettings{
		Points: c.Int("points"), Sets: c.Int("sets"), Draws: c.Int("draws"), Chains: c.Int("chains"),
		Seed: c.Uint64("seed"),
	}
	if !c.Bool("quiet") {
		settings.Progress = counter(c, true)
	}
	report, err := evaluation.CheckModel(c.Context, backend, m, settings)
	if err != nil {
		return err
	}
	result := checked{1, m.Card.Name, where, report}
	return show(c, result, "check", checkView(result))
}

// checkView adds to a check how wide its histograms are and how many tests it makes.
func checkView(r checked) any {
	return struct {
		checked
		Width, Tests int
	}{r, max(len(r.Statistics[0].Histogram), len("ranks")), 3 * len(r.Statistics)}
}

// bars draws counts as one character each, the largest as a full block; an empty bin is a blank.
func bars(counts []int) string {
	const levels = " ▁▂▃▄▅▆▇█"
	blocks, most := []rune(levels), slices.Max(counts)
	top := utf8.RuneCountInString(levels) - 1
	var line strings.Builder
	for _, count := range counts {
		line.WriteRune(blocks[(count*top+most-1)/most]) // rounded up: what is not empty shows
	}
	return line.String()
}

// pValue writes a probability with two digits.
func pValue(p float64) string {
	switch {
	case p < 1e-99:
		return "<1e-99"
	case p < 0.001:
		return fmt.Sprintf("%.0e", p)
	}
	return fmt.Sprintf("%.3f", p)
}
