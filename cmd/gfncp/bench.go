package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/urfave/cli/v2"

	"github.com/gfncp/gfncp/benchmarks"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
)

// bench prints each repeat of each work that a pattern names as a line in the format of Go's benchmarks.
func bench(c *cli.Context) error {
	pattern, err := regexp.Compile(c.Args().First())
	if err != nil {
		return usererr.New("write a regular expression such as Step/gfncp", "%v", err)
	}
	images := sync.OnceValue(hasMNIST)
	works := slices.DeleteFunc(benchmarks.Works(), func(w benchmarks.Work) bool {
		return !pattern.MatchString(w.Name) || w.Images && !images()
	})
	if len(works) == 0 {
		return usererr.New("give a part of a name such as Step/gfncp/64x75", "no benchmark is called like %q", pattern)
	}
	backend, name, err := openBackend(c)
	if err != nil {
		return err
	}
	where := provenance()
	_, err = fmt.Fprintf(c.App.Writer,
		"goos: %s\ngoarch: %s\npkg: github.com/gfncp/gfncp/benchmarks\ncpu: %s\nbackend: %s\nsimd: %v\n"+
			"commit: %s\ncreated: %s\n",
		runtime.GOOS, runtime.GOARCH, where.Machine, name, engine.SIMD(), where.Commit, where.Created)
	for _, w := range works {
		if err := benchWork(c, backend, w); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	return err
}

// benchWork measures a work after a first call, which compiles. The last line tells the peak of resident memory.
func benchWork(c *cli.Context, backend compute.Backend, w benchmarks.Work) error {
	fresh := benchmarks.ResetPeak()
	call, err := w.Open(backend)
	if err != nil {
		return err
	}
	if _, err := call(); err != nil {
		return err
	}
	name := fmt.Sprintf("Benchmark%s-%d\t1", w.Name, runtime.GOMAXPROCS(0))
	for range c.Int("repeats") {
		start := time.Now()
		found, err := call()
		took := time.Since(start)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s\t%d ns/op\t%.4g µs/point", name, took.Nanoseconds(),
			float64(took.Nanoseconds())/1e3/float64(w.Points))
		if found > 0 {
			line += fmt.Sprintf("\t%.4g K", found)
		}
		if _, err := fmt.Fprintln(c.App.Writer, line); err != nil {
			return err
		}
	}
	if !fresh {
		return nil
	}
	line := fmt.Sprintf("%s\t%.0f resident-MB", name, benchmarks.Peak()/1e6)
	if w.Holds > 0 {
		line += fmt.Sprintf("\t%.0f estimated-MB", w.Holds/1e6)
	}
	_, err = fmt.Fprintln(c.App.Writer, line)
	return err
}

// hasMNIST reports whether the image data set is where the user said that data are.
func hasMNIST() bool {
	if os.Getenv(sources.DirEnv) == "" {
		return false
	}
	files, err := sources.Verify(data.SourceMNIST, "")
	return err == nil && !slices.ContainsFunc(files, func(f sources.FileStatus) bool { return f.State != sources.OK })
}
