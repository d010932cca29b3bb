// Package em fits mixtures of t distributions and categories to encoded rows by expectation-maximization. It also finds
// partitions from which a sampler may start, and valleys between components.
package em
