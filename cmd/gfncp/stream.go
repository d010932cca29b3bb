package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data/files"
	"github.com/gfncp/gfncp/internal/atomicfile"
	"github.com/gfncp/gfncp/internal/usererr"
)

// streamModel is the model that labels streams by default.
const streamModel = "mog-gfncp-online"

func streamFlags() []cli.Flag {
	defaults := root.DefaultStreamOptions()
	return []cli.Flag{
		modelFlag(streamModel), backendFlag(), stringFlag("columns"), stringFlag("center"), stringFlag("scale"),
		stringFlag("like"), &cli.IntFlag{Name: "samples", Value: defaults.Samples},
		&cli.Uint64Flag{Name: "seed", Value: defaults.Seed},
		stringFlag("state"), boolFlag("replay"), boolFlag("strict"), boolFlag("json"), boolFlag("quiet"),
	}
}

// stream is `gfncp stream`.
func stream(c *cli.Context) error {
	if c.Bool("replay") && c.String("state") == "" {
		return usererr.New("name the file of the stream with --state", "--replay needs a state to go on from")
	}
	model, err := openModel(c)
	if err != nil {
		return err
	}
	defer model.Close()
	f := &feed{c: c, model: model, path: c.String("state")}
	if f.path != "" {
		unlock, err := lockState(f.path)
		if err != nil {
			return err
		}
		defer unlock()
	}
	if err := f.open(); err != nil {
		return withFlags(err)
	}
	return f.run(f.lines(c.App.Reader))
}

// lockState keeps other processes from a stream's file, by an empty one beside it.
func lockState(path string) (unlock func(), err error) {
	if err := atomicfile.CheckWritable(path); err != nil {
		return nil, err
	}
	lock := flock.New(path + ".lock")
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, &usererr.Error{
			Path: path + ".lock", Msg: "cannot be locked (" + err.Error() + ")",
			Hint: "make it writable, or choose another file with --state", Err: err,
		}
	case !ok:
		return nil, usererr.File(path, 0, "wait for it, or choose another file with --state",
			"another process is at this stream")
	}
	return func() { _ = lock.Unlock() }, nil
}

// open goes on with the stream of --state, or starts one.
func (f *feed) open() error {
	o, origin, err := streamOptions(f.c)
	if err != nil {
		return err
	}
	if f.path != "" && exists(f.path) {
		return f.resume(o)
	}
	if f.c.Bool("replay") {
		return usererr.File(f.path, 0, "leave --replay out to begin a stream", "is not there")
	}
	if f.stream, err = f.model.Stream(o); err != nil {
		return err
	}
	f.note.Origin = origin
	if list := f.c.String("columns"); list != "" {
		f.note.Columns = strings.Split(list, ",")
	}
	f.points = files.PointLines{Dim: f.model.Dim(), Columns: f.note.Columns}
	return nil
}

// resume goes on with the stream of --state. Its answers may have been lost after it was written, so they are given
// again.
func (f *feed) resume(asked root.StreamOptions) (err error) {
	if f.stream, err = f.model.ResumeStream(f.path, &f.note); err != nil {
		return err
	}
	kept := f.stream.Options()
	for flag, differs := range map[string]bool{
		"samples": asked.Samples != kept.Samples, "seed": asked.Seed != kept.Seed,
		"center": !slices.Equal(asked.Center, kept.Center), "scale": asked.Factor != kept.Factor,
		"like":    !slices.Equal(asked.Center, kept.Center) || asked.Factor != kept.Factor,
		"columns": f.c.String("columns") != strings.Join(f.note.Columns, ","),
	} {
		if f.c.IsSet(flag) && differs {
			return usererr.File(f.path, 0, "leave it out, or begin a new stream in another file",
				"is a stream with another --%s", flag)
		}
	}
	f.points = files.PointLines{Dim: f.model.Dim(), Columns: f.note.Columns, Header: f.note.Header}
	if f.c.Bool("replay") {
		f.skip = f.stream.Points()
	}
	say(f.c, "gfncp: %s goes on after point %d", f.path, f.stream.Points())
	return f.write(f.note.Answers)
}

// streamOptions are those of the command line. The origin is what --like takes off points before they become float32.
func streamOptions(c *cli.Context) (o root.StreamOptions, origin []float64, err error) {
	o = root.StreamOptions{Samples: c.Int("samples"), Seed: c.Uint64("seed")}
	if like := c.String("like"); like != "" {
		if c.IsSet("center") || c.IsSet("scale") {
			return o, nil, usererr.New("leave --center and --scale out", "--like says how points are prepared")
		}
		return likeSaved(c, o, like)
	}
	if list := c.String("center"); list != "" {
		for cell := range strings.SplitSeq(list, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 32)
			if err != nil {
				return o, nil, usererr.New("give numbers, as in --center 1.5,-2", "--center: %q is not a number", cell)
			}
			o.Center = append(o.Center, float32(v))
		}
	}
	if scale := c.String("scale"); scale != "" {
		if o.Factor, err = strconv.ParseFloat(scale, 64); err != nil || !(o.Factor > 0) || math.IsInf(o.Factor, 0) {
			return o, nil, usererr.New("use a factor above 0, such as 0.5", "--scale %q is unknown", scale)
		}
	}
	return o, nil, nil
}

// likeSaved prepares points as those of a saved clustering.
func likeSaved(c *cli.Context, o root.StreamOptions, path string) (root.StreamOptions, []float64, error) {
	saved, err := root.ReadSaved(path)
	if err != nil {
		return o, nil, err
	}
	if saved.Fitted == nil || saved.Columns.Encoding != nil || saved.Fitted.View != nil || saved.Columns.Names == nil {
		return o, nil, usererr.File(path, 0, "save one by a model of points in the plane",
			"is no clustering of points with one scale")
	}
	o.Center, o.Factor = saved.Fitted.Center, saved.Fitted.Factor
	return o, saved.Columns.Origin, nil
}

// prepare takes the origin off a point.
func (f *feed) prepare(x []float64) []float32 {
	point := make([]float32, len(x))
	for i, v := range x {
		if f.note.Origin != nil {
			v -= f.note.Origin[i]
		}
		point[i] = float32(v)
	}
	return point
}

// checkReach warns once of a point far out of the training's sets: the stream needs another centre or scale.
func (f *feed) checkReach(x []float32) {
	known := f.model.Config().Data
	if f.warned || !known.IsMixture() {
		return
	}
	const widths = 6
	z, _ := f.stream.Prepared(x) // Next has told its fault
	for _, v := range z {
		if limit := widths * known.SigmaMu; math.Abs(float64(v)) > limit && !f.warned {
			f.warned = true
			printWarnings(f.c, []string{fmt.Sprintf("point %d lies at %.3g after scaling, but the model knows points "+
				"up to about %.3g: bring the stream there with --like, or --center and --scale",
				f.stream.Points(), v, limit)})
		}
	}
}

// isFault reports whether a line, not the program, is at fault.
func isFault(err error) bool { return usererr.Is(err) || errors.Is(err, root.ErrNotFinite) }
