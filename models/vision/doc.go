// Package vision computes features of photos with a vision transformer (Dosovitskiy et al. 2021, "An Image is Worth 16x16
// Words"): its forward pass as a GoMLX graph, its published weights, the preparation of images as timm does it, and the walk
// over a folder of images. The weights it is made for are DINO's ViT-S/16 (Caron et al. 2021, "Emerging Properties in
// Self-Supervised Vision Transformers"), whose class token the paper clusters. Nothing here trains.
//
// Axis letters: B images, S an image's side in pixels, P a patch's side, n = (S/P)² patches, N = n+1 tokens (the class token
// comes first), W width.
package vision
