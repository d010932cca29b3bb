// Package sampling decodes networks: greedy and sampled labels, log-probabilities of given labels, and streams. It does
// not know how networks are trained.
//
// A sequence is one pass over a set in some order of its points; many run side by side. The state of a sequence is Σ h'
// and g' of each cluster, and Σ u' of the unassigned points. Its size does not grow with the number of points. One step
// scores the K_n+1 candidates of the next point (models.Folded.Score), a policy chooses one, and the state moves on.
//
// Run chooses one of two loops around that step: on the host over packed candidates, or on the device over padded
// slots. Both give the same decisions up to rounding, for the uniforms of Ancestral are drawn on the host.
// Log-probabilities add up in float64.
//
// Axis letters beside the letters of package models: S sequences, M embedded points, C steps of one call of the
// compiled loop.
package sampling
