// Package clustering applies a trained network to a user's points: Cluster finds the clusters and says how sure it is,
// Score judges labels that are given. It is the library behind the commands `gfncp cluster` and `gfncp score`.
//
// Here belong the preparation of points that did not come from the training distribution (centring, scaling, warnings)
// and the summary of decoded samples. Files, flags and the training of networks do not.
//
// # What the numbers mean
//
// Points are always centred on their coordinate-wise median and multiplied by one scale factor (see Options.Scale);
// images are left as they are. Sets are decoded in one random order, drawn from the seed, because user files are often
// sorted and the network has only seen shuffled sets. Results are in the order of the input. A log-probability log p(c|x)
// belongs to its order and leaves out the constant log 1/N! of having drawn that order; within a result all share one
// order, so they compare.
//
// Everything else in a Result is a summary of the samples around the point estimate, computed by package posterior:
// probabilities, uncertainties, P(K), expected losses, the credible ball (Wade & Ghahramani 2018). Distances between
// clusterings are the variation of information in nats, or Binder's loss (Binder 1978) as a fraction of the pairs.
//
// Axis letters: N points, D coordinates, K clusters, S samples, R data orders. Labels are canonical: numbered 0, 1, 2, …
// in order of first appearance in the input. Logarithms are natural.
package clustering

// SchemaVersion is the version of the JSON that Result and ScoreResult marshal to. It changes when a field is renamed,
// removed or changes its meaning; new fields do not change it.
const SchemaVersion = 1
