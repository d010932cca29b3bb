package safetensors

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
)

// MetaSum is the metadata key under which a file of gfncp says its Checksum.
const MetaSum = "gfncp.sha256"

// Checksum returns the SHA-256, as hexadecimal digits, of the bytes that Encode writes for f without MetaSum. It covers
// names, types, shapes, values and all other metadata. It fails as Encode does, and does not change f.
func Checksum(f *File) (string, error) {
	bare := File{Metadata: maps.Clone(f.Metadata), Tensors: f.Tensors}
	delete(bare.Metadata, MetaSum)
	h := sha256.New()
	if err := Encode(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
