// Package data says what a set is (points with true cluster labels) and where sets come from.
//
// Here belong the prior on partitions (Chinese restaurant process), the sources that turn partitions into points, and
// the centring of points. Models, losses and files of results do not.
//
// Axis letters in every shape: B batch, N points of a set, K clusters of a set, D features of a point. Labels are
// int32 and canonical: clusters are numbered from 0 in order of first appearance.
package data
