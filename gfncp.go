// Package gfncp clusters tables, points and images, and says how sure it is. The command gfncp is built on it.
//
// # Cluster
//
//	points, err := gfncp.ReadPoints("points.csv", nil) // or NewPoints, for numbers
//	…
//	c, err := gfncp.Cluster(ctx, points, nil) // as `gfncp cluster points.csv`
//
// A Clustering holds labels, their probabilities, P(K), and warnings. Predict says where further points belong. Save
// writes it to a file, and Read reads it. A table is clustered by a mixture with an unknown number of clusters, which
// needs no model.
//
// # Networks
//
// GFNCP ("Consistent Amortized Clustering via Generative Flow Networks", AISTATS 2025) and NCP are trained networks.
// Options.Model names one for Cluster. An open Model clusters points, scores given labels, and labels a stream of
// points. The import below adds two models. A model can also be one that `gfncp fetch weights` downloaded, a file, or
// the directory of a training run.
//
//	import _ "github.com/gfncp/gfncp/pretrained"
//
//	model, err := gfncp.Open("mog-gfncp-free", nil)
//	…
//	defer model.Close()
//	c, err := model.Cluster(ctx, points, nil)
//
// Networks run on a GPU if there is one, else on the Go backend, or on the backend that Options.Backend names. This
// package downloads nothing. Build with GOEXPERIMENT=simd, which makes the Go backend 10 to 18 times faster, and call
// Prepare first thing in main. Builds with the race detector need GOEXPERIMENT= and -gcflags=all=-d=checkptr=0, because
// GoMLX reads bytes as numbers.
//
// # Train
//
// A Config describes a run completely: the same config gives the same weights on the same backend.
//
//	config, err := gfncp.DefaultConfig("ncp", "mog") // or OwnConfig, for your own file or folder
//	config, err = config.Set("train.steps=500", "data.batch=16")
//	…
//	_, err = gfncp.Train(ctx, config, "runs/mine", nil)
//	…
//	model, err := gfncp.Open("runs/mine", nil)
//
// A run that was interrupted continues when it is trained again in the same directory.
//
// # Errors
//
// A fault that the caller can mend is an *Error, with the remedy. Test for other errors with errors.Is: fs.ErrNotExist,
// ErrNotFinite, ErrInterrupted, ErrClosed, and the error of a context. A function returns when its context ends.
//
// The packages below this one are the parts; docs/architecture.md is the map. Package experiments reproduces the
// paper's tables and figures.
package gfncp

import (
	"errors"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/train"
)

// Error is a fault in the caller's input: points, options, a name, a file. Its message is one line, "PATH:LINE: OPTION
// MSG; HINT", without the empty parts. Its fields are Path, the file at fault; Line, counted from 1; Option, the field
// of Options; Msg, the fault; Hint, the remedy; and Err, the cause, for errors.Is.
//
//	var fault *gfncp.Error
//	if errors.As(err, &fault) { … }
type Error = usererr.Error

var (
	// ErrNotFinite marks an overflow: the points lie far outside the model's training range, or training diverged.
	ErrNotFinite = metrics.ErrNotFinite
	// ErrInterrupted, beside the error of the context, is returned by Train when its context ends. Train again in the
	// same directory to continue.
	ErrInterrupted = train.ErrInterrupted
	// ErrClosed is returned by the methods of a closed model that need its backend.
	ErrClosed = errors.New("the model is closed")
)

// Prepare must be the first call of main in a program that is built with GOEXPERIMENT=simd. It starts the program once
// more, in the same process, with GODEBUG=asyncpreemptoff=1. Without that setting, math.Exp is sometimes up to 140
// times slower in these programs. In other programs it does nothing.
func Prepare() error { return engine.Prepare() }
