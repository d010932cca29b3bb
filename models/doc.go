// Package models holds the networks as graph functions with the names and shapes of their weights. Training, decoding
// and files are in other packages.
//
// # The energy network
//
// GFNCP and NCP share one network (paper, eqs. Hk, G_def, Q, unnormalized_marginal). It gives the energy of assigning
// point n to slot k when the points before n have their labels:
//
//	H_k = Σ_{i: c_i=k} h(x_i)     G = Σ_k g(H_k)     U_n = Σ_{i>n} u(x_i)     E = f(G, U_n)
//
// The *literal* form evaluates exactly that in float64 on the host (literal_test.go); the tests compare with it. The
// *folded* form (fold.go) is the same function with fewer products: h's last layer and g's first are linear with only a
// sum between them, and so are g's last and f's first, and u's last and f's first. Each pair becomes one matrix, so
// that every candidate costs nine products of Hidden×Hidden instead of twelve larger ones, and d_g disappears.
//
// # Notation
//
// Axis letters in every shape: B sets in a batch, N points a set, K slots (clusters so far, and one for a new cluster),
// D input features, H hidden width, R packed candidate rows. Labels are numbered by first appearance from 0. Energies
// are unitless, log-probabilities in nats. A candidate is a legal (b, n, k): k ≤ K_n, the number of clusters before n;
// slot K_n opens a new cluster.
package models
