// Package gfncp clusters points with amortized models that return samples of the clustering together with their
// probabilities: GFNCP ("Consistent Amortized Clustering via Generative Flow Networks", AISTATS 2025) and NCP. This
// page is all that a Go program needs to open, cluster, predict, score and train.
//
// # Cluster
//
// The weights come with a second import; without it a model is a file, or the directory of a training run.
//
//	import _ "github.com/gfncp/gfncp/pretrained"
//
//	model, err := gfncp.Open("mog-gfncp-free")
//	…
//	defer model.Close()
//	result, err := model.Cluster(ctx, points, n, gfncp.DefaultOptions()) // points [n,D], row by row
//
// The Result holds labels, their probabilities, P(K), a credible ball, and warnings. Predict says where further points
// belong (Save keeps a clustering for it), Score judges labels that are given, and Stream labels points as they
// come.
//
// # Train
//
// A Config describes a run completely: the same config gives the same weights on the same backend.
//
//	config, err := gfncp.DefaultConfig("ncp", "mog") // or OwnConfig, for your own file or folder
//	config, err = config.Set("train.steps=500", "data.batch=16")
//	…
//	_, err = gfncp.Train(ctx, config, "runs/mine", gfncp.Listen(gfncp.Listener{Step: show}))
//	…
//	model, err := gfncp.Open("runs/mine")
//
// A run that was interrupted continues when it is trained again in the same directory. ParseConfig reads a TOML file,
// and Config.String writes one.
//
// # Backends
//
// Computation runs on the best backend that is installed, or on one by name: gfncp.On("xla:cuda"). Nothing is ever
// downloaded. Build with GOEXPERIMENT=simd, which makes the Go backend about 18 times faster, and call Prepare first
// thing in main.
//
// # Errors
//
// What the caller can mend is an *Error, with the remedy. Others to ask for with errors.Is: fs.ErrNotExist,
// ErrNotFinite, ErrInterrupted, ErrClosed, and the error of a context: what takes one returns when that ends.
//
// The packages below this one are the parts: data, models, losses, sampling, train, metrics, posterior, clustering,
// experiments. docs/architecture.md is the map.
package gfncp

import (
	"errors"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/train"
)

// Error is a fault in what the caller gave: points, options, a name, a file. Its message is one line, "PATH:LINE: MSG;
// HINT" without what is empty. Its fields are Path, the file at fault; Line, counted from 1; Msg, what is wrong; Hint,
// what to do; and Err, the cause, for errors.Is.
//
//	var fault *gfncp.Error
//	if errors.As(err, &fault) { … }
type Error = usererr.Error

var (
	// ErrNotFinite marks numbers that overflowed: the points lie far outside of what a model knows, or training
	// diverged.
	ErrNotFinite = metrics.ErrNotFinite
	// ErrInterrupted ends a training whose context was cancelled: train again in the same directory to continue.
	ErrInterrupted = train.ErrInterrupted
	// ErrClosed is what the methods of a closed model return.
	ErrClosed = errors.New("the model is closed")
)
