// Package losses holds the training objectives, one in each file. The "laws" in their comments are properties that
// tests check. They read an energy table (models.Table) and know neither data sources nor optimizers.
//
// Shapes: B sets, N points a set (padded), K slots. Every loss returns one value a set, [B]; energies and losses are in
// float32. Steps are counted as in the paper: a set of N points has N−1 decisions, n = 2..N.
package losses
