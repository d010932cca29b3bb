// Package tensorboard writes and reads TensorBoard's event files: curves of numbers over training steps. What the curves
// mean, and the clock, belong to the caller.
//
// An event file is a sequence of TFRecords, each holding one Event message (tensorboard/compat/proto/event.proto in
// github.com/tensorflow/tensorboard). A run's curves may be spread over several files of one directory, which viewers
// read in the order of their names: one file for each session of training.
package tensorboard
