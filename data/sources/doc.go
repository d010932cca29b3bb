// Package sources opens the sources of sets by name: mixtures of Gaussians, MNIST and Fashion-MNIST, which it can also
// fetch and check, features of ImageNet from the user's files, their synthetic stand-ins, and a user's own file
// (package data/files).
package sources
