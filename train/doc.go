// Package train is the training loop: a batch from (seed, step), one step of the objective, the schedule, checkpoints,
// resuming and logs. It does not know the tables of experiments.
//
// A run is a directory that holds its resolved config, metrics.jsonl and checkpoints. Nothing in it is overwritten in
// place; an interrupted run continues to the same final bytes as an uninterrupted one.
package train
