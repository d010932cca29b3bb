// Package mixture samples the posterior of the clusters of a table of numbers and categories.
//
// The model: K components, K − 1 ~ beta-negative-binomial(1, 4, 3), their weights Dirichlet(α/K, …) with α ~ F(6, 3)
// (Frühwirth-Schnatter, Malsiner-Walli & Grün 2021). A row of component k is N(μ_k, Σ_k/u) with u ~ Gamma(ν/2, ν/2),
// which is multivariate t with ν degrees of freedom; all clusters share ν, and Gaussian rows (u = 1) have prior
// probability ½. Σ_k is near a shape that the clusters share. With more than six columns the evidence may choose
// another law (evidence.go): each cluster has its own scales, and correlations are shrunk. The sampler infers how near,
// and how wide μ_k's prior is in units of Σ_k (law.go, scales.go). Categories are independent within a cluster, with
// uniform Dirichlet priors.
//
// The sampler: clusters split and merge with their parameters integrated out (splitmerge.go). A split gives rows to two
// sides one after the other (allocate.go). Then the sampler draws the parameters, the labels of all rows in one block
// (components.go), and the exact values of rounded numbers (rounded.go). Several chains start from different kinds of
// partitions and run until they agree (run.go). Every chain has its own stream of random numbers, so a seed gives the
// same answer on any number of cores.
//
// Package tables encodes the columns of a table for the sampler, package em fits a mixture with a known number of
// components, and package fit keeps the mixture of an answer, predicts new rows and checks the clusters.
package mixture
