// Package posterior holds the exact posterior of mixtures of Gaussians, and summaries of sampled partitions of one
// set.
//
// The exact posterior: the likelihood of spherical clusters of one width (Gaussian), the prior (CRP, Prior), all
// partitions of up to nine points with their probabilities (EnumerateCentred, Distribution), collapsed Gibbs sampling
// for more points (Gibbs), and distances of a model's distribution from it (KL, TotalVariation).
//
// The summaries: distinct partitions with their probabilities, the co-clustering matrix, the distribution of the
// number of clusters, point estimates by expected variation of information and by Binder's loss (Loss), each point's
// probability of belonging to the clusters of an estimate, and its uncertainty. Every summary is invariant to the names
// of the clusters in the samples.
//
// The package knows labels, plain points and package metrics; not networks, data sources, decoding, files.
//
// Axis letters: N points, K clusters, S samples, D coordinates. Labels are []int32 of any values; results are canonical
// (0, 1, 2, … in order of first appearance). There is at least one sample and one point, and all samples have a label
// for each point.
package posterior
