// Package mixture samples the posterior of the clusters of a table of mixed columns.
//
// The model: K components, K − 1 ~ beta-negative-binomial(1, 4, 3), their weights Dirichlet(α/K, …) with α ~ F(6, 3)
// (Frühwirth-Schnatter, Malsiner-Walli & Grün 2021). A row of component k is N(μ_k, Σ_k/u) with u ~ Gamma(ν/2, ν/2),
// which is multivariate t with ν degrees of freedom; ν is one for the table, and Gaussian rows (u = 1) have half of its
// prior. Σ_k is near a shape that the clusters share; of more than six columns each cluster has scales of its own, and
// correlations are shrunken. How near, and the width of μ_k's prior in units of Σ_k, is learned (law.go, scales.go).
// Categories are independent within a cluster with even Dirichlet priors.
//
// Columns: counters and keys of the rows, and columns that are independent of all others and have one hump, are set
// apart (reduce.go); numbers such as −999 far from all others are missing (encoder.go); skewed columns are replaced by
// their logarithms by evidence (numbers.go); more than forty columns are reduced to principal components (reduce.go).
//
// The sampler: parameters are integrated out when clusters split and merge, launched by a short EM (splitmerge.go),
// and drawn when all rows draw their labels at once (components.go). Several chains start from different kinds of
// partitions and run until they agree (posterior.go). Every chain has its own stream of random numbers, so that one
// seed gives the same bytes for every number of cores.
package mixture
