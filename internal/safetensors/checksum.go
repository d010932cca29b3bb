package safetensors

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
)

// Checksum returns the SHA-256, as hexadecimal digits, of the bytes that Encode writes for f without the metadata key:
// what a file can say about itself under that key. It covers names, types, shapes, values and all other metadata. It
// fails as Encode does, and does not change f.
func Checksum(f *File, key string) (string, error) {
	bare := File{Metadata: maps.Clone(f.Metadata), Tensors: f.Tensors}
	delete(bare.Metadata, key)
	h := sha256.New()
	if err := Encode(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
