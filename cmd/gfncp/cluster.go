package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/cmd/internal/answer"
	"github.com/gfncp/gfncp/data/files"
)

func cluster(c *cli.Context) error {
	wanted := outputs{
		table: c.String("out"), matrix: c.String("co-clustering"), plot: c.String("plot"), html: c.String("html"),
		saved: c.String("save"),
	}
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
	if err := wanted.check(points.Input(), c.String("together"), c.String("apart")); err != nil {
		return err
	}
	if err := addKnown(c, points.Input(), &options.Known); err != nil {
		return err
	}
	found, err := clusterPoints(c, do, points, options)
	if err != nil {
		return explained(err)
	}
	return showClustering(c, points, found, wanted)
}

// clusterer is root.Cluster, or the Cluster of a model.
type clusterer func(context.Context, *root.Points, *root.Options) (*root.Clustering, error)

// clusterPoints clusters, and lets progress and warnings be seen.
func clusterPoints(c *cli.Context, do clusterer, p *root.Points, o *root.Options) (*root.Clustering, error) {
	ended := listen(c, o)
	found, err := do(c.Context, p, o)
	if err != nil {
		ended(nil)
		return nil, err
	}
	if more := ended(found.Warnings); found.Table == nil && !c.Bool("json") { // a table's report holds its warnings
		printWarnings(c, more)
	}
	return found, nil
}

// showClustering writes the files that are wanted, and prints what was found.
func showClustering(c *cli.Context, points *root.Points, found *root.Clustering, wanted outputs) (err error) {
	in := points.Input()
	if found.Table == nil || wanted.plot != "" || wanted.html != "" {
		if in, err = found.Drawn(); err != nil {
			return err
		}
	}
	if wanted.saved != "" {
		if err := found.Save(wanted.saved); err != nil {
			return err
		}
	}
	if err := wanted.write(in, found.Result); err != nil {
		return err
	}
	out, err := answer.New(in, found.Result, found.Notes)
	if err != nil {
		return err
	}
	return show(c, out, "cluster", newClusterView(in, out, wanted))
}

// clusterOutput is the JSON of `gfncp cluster`.
type clusterOutput = answer.Output

// newClusterView is what a person is told of a clustering, and what may be done next.
func newClusterView(in *files.Input, out clusterOutput, wanted outputs) answer.View {
	v := answer.NewView(in, out)
	if wanted.html == "" {
		v.Next = append(v.Next, fmt.Sprintf("--html look.html shows every %s", v.Noun))
	}
	if wanted.saved == "" {
		v.Next = append(v.Next, "--save clusters.json keeps the clusters for gfncp predict")
	}
	return v
}
