package data

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Rand returns the generator that belongs to (seed, stream, step): ChaCha8 keyed by the SHA-256 of all three.
//
// The same arguments always give the same numbers. Different ones give unrelated keys, so that no two streams ("train",
// "valid", "test") and no two steps share numbers, even for neighbouring seeds.
func Rand(seed uint64, stream string, step int) *rand.Rand {
	key := make([]byte, 0, 32+len(stream))
	key = append(key, "gfncp/data\x00"...)
	key = binary.LittleEndian.AppendUint64(key, seed)
	key = binary.LittleEndian.AppendUint64(key, uint64(int64(step)))
	key = append(key, stream...) // last and alone of free length: no two triples give the same bytes
	return rand.New(rand.NewChaCha8(sha256.Sum256(key)))
}
