// Package datasets turns files into a data.Pool: the published data sets MNIST and Fashion-MNIST, which it can also fetch
// and check, features of ImageNet from the user's files, and the user's own images and vectors in folders, IDX, NumPy,
// safetensors, Parquet and CSV files. It writes files of features, and makes up stand-ins for those of ImageNet. Drawing sets
// from a pool, and changing its points for training, belong elsewhere.
//
// Images become grey values in 0..1, with bright strokes on a dark background as the models expect them.
package datasets
