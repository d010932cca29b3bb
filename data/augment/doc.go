// Package augment makes the views of instance discrimination: random changes of a point that keep its identity.
//
// It holds the augmentations of grey images (Images) and of feature vectors (Vectors). Images exist twice with one
// meaning: Renderer in plain Go, and RenderGraph for a backend such as a GPU. All randomness of one image is drawn on
// the host into a vector of NumParams numbers, so that both see the same. Which points are augmented, and into which
// clusters they go, belongs to package data.
package augment
