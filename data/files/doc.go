// Package files turns the user's files into a data.Pool: images and vectors in folders, IDX, NumPy, safetensors,
// Parquet and CSV files. It writes files of features. Data sets with a name are package data/sources; drawing sets
// from a pool, and changing its points for training, belong elsewhere.
//
// Images become grey values in 0..1, with bright strokes on a dark background as the models expect them.
package files
