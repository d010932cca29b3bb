package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data/files"
)

func cluster(c *cli.Context) error {
	options, err := optionsOf(c)
	if err != nil {
		return err
	}
	read, do := root.ReadPoints, root.Cluster
	if name := options.Model; name != "" && name != root.MixtureModel {
		model, err := root.Open(name, options)
		if err != nil {
			return err
		}
		defer model.Close()
		read, do = model.ReadPoints, model.Cluster
	}
	points, err := readPoints(c, c.Args().First(), read)
	if err != nil {
		return err
	}
	if err := checkOutputs(c, points.Input()); err != nil {
		return err
	}
	if err := addKnown(c, points.Input(), &options.Known); err != nil {
		return err
	}
	ended := listen(c, options)
	found, err := do(c.Context, points, options)
	if err != nil {
		ended(nil)
		return explained(err)
	}
	if more := ended(found.Warnings); found.Table == nil && !c.Bool("json") { // a table's report holds its warnings
		printWarnings(c, more)
	}
	return showClustering(c, points, found)
}

// showClustering writes the files that are wanted, and prints what was found.
func showClustering(c *cli.Context, points *root.Points, found *root.Clustering) (err error) {
	in := points.Input()
	if found.Table == nil || c.String("plot") != "" || c.String("html") != "" {
		if in, err = found.Drawn(); err != nil {
			return err
		}
	}
	if err := writeOutputs(c, in, found); err != nil {
		return err
	}
	out, err := answer.New(in, found.Result, found.Notes)
	if err != nil {
		return err
	}
	return show(c, out, "cluster", newClusterView(in, out, c.String))
}

// newClusterView is what a person is told of a clustering, and what may be done next; value is that of a flag.
func newClusterView(in *files.Input, out answer.Output, value func(flag string) string) answer.View {
	v := answer.NewView(in, out)
	if value("html") == "" {
		v.Next = append(v.Next, fmt.Sprintf("--html look.html shows every %s", v.Noun))
	}
	if value("save") == "" {
		v.Next = append(v.Next, "--save clusters.json keeps the clusters for gfncp predict")
	}
	return v
}
