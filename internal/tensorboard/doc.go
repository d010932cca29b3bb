// Package tensorboard writes TensorBoard's event files: curves of numbers over training steps. What the curves mean,
// and the clock, belong to the caller.
//
// An event file is a sequence of TFRecords, each holding one Event message (tensorboard/compat/proto/event.proto in
// github.com/tensorflow/tensorboard).
package tensorboard
