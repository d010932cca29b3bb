// Package fit keeps the mixture of an answer: it predicts the clusters of new rows, and checks the clusters that were
// found.
package fit
