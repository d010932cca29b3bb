// Package sweep trains and compares many settings: a file names the keys to vary (ReadFile), a plan lists the jobs that
// this takes (Spec.Plan), an executor runs each job in a process of its own (Executor, Work), and a table sets the
// settings side by side (Sweep.Results).
//
// A sweep has no memory but its files. A job is done when its run directory holds what the plan asks for; it runs while
// a process holds its lock; a lock that its process dropped without an end is an interrupted job. So any process may be
// killed at any time, and another one picks the sweep up.
//
// How a model is trained and judged belongs to package experiments, what a table looks like to package report.
package sweep
