// Package sampling decodes: greedy and ancestral labels, log-probabilities of given labels, and the online stepper. It
// knows networks, but not how they are trained.
//
// A sequence is one pass over a set in some order of its points; many run side by side. The state of a sequence is a sum
// of h' and a g' for each cluster, their total, and the sum of u' of the unassigned points: nothing grows with the number
// of points but the data. One step scores the K_n+1 candidates of the next point (models.Network.Score), a policy
// chooses one, and the state moves on. Log-probabilities add up in float64.
package sampling
