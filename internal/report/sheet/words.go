package sheet

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gfncp/gfncp/internal/report/canvas"
	"github.com/gfncp/gfncp/internal/report/table"
	"github.com/gfncp/gfncp/internal/text"
)

// maxClassWords is how many known classes the heading of a cluster names.
const maxClassWords = 3

// formatProbability writes p with two digits, but never a false 0 or 1.
func formatProbability(p float64) string {
	switch text := strconv.FormatFloat(p, 'f', 2, 64); {
	case text == "1.00" && p < 1:
		return "> 0.99"
	case text == "0.00" && p > 0:
		return "< 0.01"
	default:
		return text
	}
}

func (s *Sheet) titleText() string {
	if title := text.Clean(s.Title); title != "" {
		return title
	}
	return "Clustering of " + text.Plural(len(s.Labels), "image")
}

// noteTexts are the first notes and how many there are beyond them.
func (s *Sheet) noteTexts() []string {
	notes := text.CleanAll(s.Notes)
	if more := len(notes) - maxSheetNotes; more > 0 {
		notes = append(notes[:maxSheetNotes], fmt.Sprintf("and %s", text.Plural(more, "more note")))
	}
	return notes
}

func (s *Sheet) summaryText(p *sheetPlan) string {
	return fmt.Sprintf("%s in %s, %s uncertain",
		text.Plural(len(s.Labels), "image"), text.Plural(p.Point.K, "cluster"), text.Group(strconv.Itoa(len(p.Unsure))))
}

// NameOf is the name of an image.
func (s *Sheet) NameOf(i int) string {
	if s.Names == nil {
		return strconv.Itoa(i)
	}
	return text.Clean(s.Names[i])
}

func clusterText(label int32) string {
	if label < 0 {
		return "new cluster"
	}
	return "cluster " + strconv.Itoa(int(label))
}

// Name is the cluster's name.
func (b *block) Name() string { return clusterText(b.label) }

// details says size, mean probability and, where known, classes of a cluster of the point estimate.
func details(b *block, classes map[int32]string) string {
	words := fmt.Sprintf("%s · mean probability %s", text.Plural(b.images, "image"), formatProbability(b.mean))
	if c := classes[b.label]; c != "" {
		words += " · known: " + c
	}
	return words
}

// classTexts gives, a cluster, its known classes with their counts, the commonest first; empty when none is known.
func (s *Sheet) classTexts() map[int32]string {
	texts := map[int32]string{}
	if s.Truth == nil {
		return texts
	}
	counts := map[int32]map[string]int{}
	for i, k := range s.Labels {
		if counts[k] == nil {
			counts[k] = map[string]int{}
		}
		counts[k][text.Clean(s.Truth[i])]++
	}
	for k, count := range counts {
		names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
		})
		var words []string
		for _, name := range names[:min(len(names), maxClassWords)] {
			words = append(words,
				fmt.Sprintf("%s (%s)", text.Fit(name, 24, utf8.RuneCountInString), text.Number(count[name])))
		}
		if more := len(names) - maxClassWords; more > 0 {
			words = append(words, fmt.Sprintf("%d more", more))
		}
		texts[k] = strings.Join(words, ", ")
	}
	return texts
}

// More counts the images that are not shown.
func (b *block) More() string {
	if b.more() == 0 {
		return ""
	}
	words := "and " + text.Group(strconv.Itoa(b.more())) + " more"
	if b.moreMarked > 0 {
		words += fmt.Sprintf(" (%s %s)", text.Group(strconv.Itoa(b.moreMarked)), b.what)
	}
	return words
}

// More counts the clusters that are not shown.
func (g *grouping) More() string {
	more := g.K - len(g.Blocks)
	if more == 0 {
		return ""
	}
	return fmt.Sprintf("and %s with %s", text.Plural(more, "smaller cluster"), text.Plural(g.moreImages, "image"))
}

// fixed are the words that are the same on every sheet.
var fixed = struct{ Bars, Uncertain, Differs, Matching string }{
	Bars: "Probability of the number of clusters K",
	Uncertain: fmt.Sprintf("uncertain: the probability of its own cluster is below %g; these images come last",
		canvas.UncertainBelow),
	Differs: "grouped differently from the clustering above",
	Matching: "Clusters are matched one to one with those above, greedily by the number of shared images. Share is " +
		"the probability among the drawn clusterings.",
}

// BarsNote says which bar is that of the point estimate.
func (p *sheetPlan) BarsNote() string {
	return fmt.Sprintf("The clustering below has K = %d.", p.Point.K)
}

// OthersTitle heads the alternatives.
func (p *sheetPlan) OthersTitle() string {
	return [...]string{
		"", "The most probable clustering", "The two most probable clusterings",
		"The three most probable clusterings",
	}[len(p.Others)]
}

// alternativeText is the line above an alternative.
func alternativeText(a *Alternative, g *grouping) string {
	logProb := text.Dash
	if !math.IsNaN(a.LogProb) {
		logProb = table.FormatNumber(a.LogProb, a.LogProb, 2)
	}
	words := []string{"log p " + strings.Replace(logProb, "-", "−", 1), "share " + formatProbability(a.Share)}
	if a.Count > 0 {
		words = append(words, "drawn "+text.Plural(a.Count, "time"))
	}
	differ := text.Plural(g.moved, "image") + " grouped differently"
	if g.moved == 0 {
		differ = "the same as above"
	}
	return strings.Join(append(words, text.Plural(g.K, "cluster"), differ), " · ")
}

// Doubtful are the most uncertain images, the most uncertain first.
func (p *sheetPlan) Doubtful() []int { return p.Unsure[:min(len(p.Unsure), maxDoubtful)] }

// DoubtfulText says of how many Doubtful are the first.
func (p *sheetPlan) DoubtfulText() string {
	if len(p.Unsure) <= maxDoubtful {
		return ""
	}
	return fmt.Sprintf("The first %d of %s.", maxDoubtful, text.Plural(len(p.Unsure), "uncertain image"))
}

// MoreBars sums up the values of K that have no bar.
func (p *sheetPlan) MoreBars() string {
	if p.moreBars.K == 0 {
		return ""
	}
	return fmt.Sprintf("%s of K: %s", text.Plural(p.moreBars.K, "other value"), formatProbability(p.moreBars.P))
}

// Color are the classes of the cluster's colour and line in the style sheet.
func (b *block) Color() string { return colorClass(b.label) }

// colorClass is Color of a label; -1, without a partner, has no colour.
func colorClass(label int32) string {
	if label < 0 {
		return "new"
	}
	return fmt.Sprintf("c%d b%d", int(label)%len(canvas.Palette), barStyle(label))
}

// barStyles is how many lines tell apart clusters of the same colour: solid for the first eight clusters, then double,
// dashed and dotted; from 32 on they repeat.
const barStyles = 4

func barStyle(label int32) int { return int(label) / len(canvas.Palette) % barStyles }
