package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/evaluation"
)

// writeCheck prints a check as a table with a line for each statistic.
func writeCheck(b *bytes.Buffer, model string, r *evaluation.CheckReport) {
	fmt.Fprintf(b, "%s on mixtures of Gaussians, %d points a set, seed %d\n", model, r.Points, r.Seed)
	fmt.Fprintf(b, "  calibration  %d sets, %d draws each\n", r.Sets, r.Draws)
	fmt.Fprintf(b, "  joint test   %d chains, %d steps after %d\n", r.Chains, r.Steps, r.BurnIn)
	for _, note := range r.Notes {
		fmt.Fprintf(b, "  note         %s\n", note)
	}
	width := len(r.Statistics[0].Histogram)
	fmt.Fprintf(b, "\n%-20s %8s %8s %8s  %-*s %7s %7s %9s  %s\n", "statistic", "true", "drawn", "chains", max(width, len("ranks")), "ranks", "χ² p", "KS p", "Geweke z", "verdict")
	for _, s := range r.Statistics {
		verdict := "consistent with exact"
		if s.Differs {
			verdict = "differs"
		}
		fmt.Fprintf(b, "%-20s %8.2f %8.2f %8.2f  %s%s %7s %7s %+9.1f  %s\n", s.Name, s.Truth, s.Drawn, s.Chains, bars(s.Histogram),
			strings.Repeat(" ", max(0, len("ranks")-width)), pValue(s.ChiP), pValue(s.KSP), s.GewekeZ, verdict)
	}
	fmt.Fprintf(b, "\ntrue, drawn, chains: means of the true values, of the draws for these sets, and in the chains of the joint test\n")
	fmt.Fprintf(b, "ranks: of the true value among the draws, left below all of them; flat if the draws are exact\n")
	fmt.Fprintf(b, "Geweke z: mean by the law minus mean in the chains, in standard errors\n")
	fmt.Fprintf(b, "differs: a p below 1 %%/%d = %.2g (Bonferroni: an exact model differs in anything with 1 %% at most)\n", 3*len(r.Statistics), r.Level)
	if r.Differ == 0 {
		fmt.Fprintf(b, "no statistic differs: these tests find no fault in the model's posterior\n")
	} else {
		fmt.Fprintf(b, "%d of %d statistics differ: the model's posterior is not the exact one\n", r.Differ, len(r.Statistics))
	}
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
