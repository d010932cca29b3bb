// Package ccp is the clusterwise process, the O(K) sampler of "Neural Clustering Processes" (Pakman, Wang, Mitelut, Lee
// and Paninski 2020). It finds one cluster after the other; here belong its networks, its training objective and its
// samplers.
//
//	repeat until every point is assigned:
//	    a ~ uniform over the unassigned points                    the anchor, in the new cluster S
//	    z ~ N(μ_p, σ_p)(e_a, U, G)                                a latent, L coordinates
//	    i ∈ S with probability σ(φ(e_i, z, e_a, U, G))            each other unassigned point on its own, given z
//	    G ← G + g(mean over S of h)
//
// e = encoder(x); h and u are functions of e; U is the mean of u over the other unassigned points (0 if there are none)
// and G is 0 at first.
//
// Sizes as published: h, u and g have 3 layers, φ has 5 (its last one without bias), the nets of z's prior and of its
// posterior have 6, with a ReLU between each two layers. Every layer is peers.Config.Width wide, encoder excepted,
// which is that of package models (for images one convolutional encoder, so that three are not needed).
//
// Training maximizes an importance-weighted bound (Burda, Grosse and Salakhutdinov 2016) of each cluster's probability,
// with the posterior q(z | e_a, U_in, U_out, G) as the proposal, where U_in and U_out are the means of u over the other
// points in and outside of the cluster. Its gradient is doubly reparameterized (Tucker, Lawson, Gu and Maddison 2019).
//
// Axis letters beside those of package peers: T steps of a set, R = B·T rows (one is a step of a set), S importance
// samples, P pairs (one is a row and an unassigned point), L coordinates of z, E the encoder's width, W the other
// layers' width.
package ccp
