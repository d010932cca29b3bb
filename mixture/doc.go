// Package mixture samples the posterior of the clusters of a table of mixed columns.
//
// The model: K components, K − 1 ~ beta-negative-binomial(1, 4, 3), their weights Dirichlet(α/K, …) with α ~ F(6, 3)
// (Frühwirth-Schnatter, Malsiner-Walli & Grün 2021). A row of component k is N(μ_k, Σ_k/u) with u ~ Gamma(ν/2, ν/2),
// which is multivariate t with ν degrees of freedom; ν is one for the table, and Gaussian rows (u = 1) have half of its
// prior. Σ_k is near a shape that the clusters share. With more than six columns the evidence may choose another law
// (choice.go): each cluster has its own scales, and correlations are shrunken. The data tell how near, and how wide
// μ_k's prior is in units of Σ_k (law.go, scales.go). Categories are independent within a cluster with even Dirichlet
// priors.
//
// Columns: counters and keys of the rows are set apart, and so are columns that are independent of all others and have
// one hump (reduce.go), and linear combinations of others (linear.go). Numbers such as −999, far from all others, count
// as missing (encoder.go). Skewed columns are replaced by their logarithms, and many zeros become a category, if the
// evidence says so (evidence.go). Where rounded numbers lie in their steps, and how far the heap at an end of a scale
// lies beyond it, is drawn (rounded.go). More than forty columns are reduced to principal components (reduce.go).
//
// The sampler: clusters split and merge with their parameters integrated out, guided by a short EM (splitmerge.go).
// Then the parameters are drawn, and all rows draw their labels at once (components.go). Several chains start from
// different kinds of partitions and run until they agree (posterior.go). Every chain has its own stream of random
// numbers, so one seed gives the same bytes on any number of cores.
package mixture
