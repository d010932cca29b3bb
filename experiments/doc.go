// Package experiments is the registry of what gfncp reproduces: each table and figure of the paper is one entry that names
// its cells; runs are shared between entries by the hash of their config. It knows neither rendering nor flags.
package experiments
