package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data/files"
)

func predict(c *cli.Context) error {
	options, err := optionsOf(c)
	if err != nil {
		return err
	}
	path, out := c.Args().First(), c.String("out")
	saved, err := root.Read(path)
	if err != nil {
		return err
	}
	points, err := readPoints(c, c.Args().Get(1), saved.ReadPoints)
	if err != nil {
		return err
	}
	in := points.Input()
	if out != "" {
		if err := checkOutput(c, "out", filesRead(c, in, saved.ModelName())...); err != nil {
			return err
		}
	}
	ended := listen(c, options)
	p, err := saved.Predict(c.Context, points, options)
	ended()
	if err != nil {
		return err
	}
	p.Warnings = answer.AllFlags(p.Warnings)
	if !c.Bool("json") {
		printWarnings(c, p.Warnings)
	}
	own := answer.OwnIn(p.Probabilities, p.Labels)
	if out != "" {
		if err := writePoints(out, in, p.Labels, own, p.K, p.Probabilities, p.NewCluster); err != nil {
			return err
		}
	}
	result := predictOutput{Prediction: p, Notes: answer.AllFlags(in.Notes)}
	if in.IsImages() {
		result.Names = in.Names
	}
	return show(c, result, "predict", predictView(path, saved, in, p, own))
}

// predictOutput is the JSON of `gfncp predict`.
type predictOutput struct {
	*root.Prediction
	Names []string `json:"names,omitempty"` // of images
	Notes []string `json:"notes"`
}

// predictView returns the values of the report about a prediction.
func predictView(path string, saved *root.Clustering, in *files.Input, p *root.Prediction, own []float64) any {
	sizes, rows := map[int32]int{}, []string{}
	for i, label := range p.Labels {
		sizes[label]++
		name := strings.TrimPrefix(answer.ClusterName(label), "cluster ")
		row := fmt.Sprintf("%7s  %11.3f  %11.3f  %s", name, own[i], p.NewCluster[i], answer.WhereIs(in, i))
		rows = append(rows, row)
	}
	var tally []string
	for k := range p.K + 1 {
		label := int32(k)
		if k == p.K {
			label = root.None
		}
		if n := sizes[label]; n > 0 {
			tally = append(tally, fmt.Sprintf("%d in %s", n, answer.ClusterName(label)))
		}
	}
	return map[string]any{
		"P": p, "In": in, "Base": filepath.Base(path), "Noun": answer.Noun(in), "Known": saved.Len(), "Rows": rows,
		"Tally": strings.Join(tally, ", "),
	}
}
