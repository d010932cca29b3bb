package stablehlo

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
)

func randomOps() map[string]spec {
	return map[string]spec{"rng_bit_generator": {
		operands: 1, required: []string{"rng_algorithm"}, infer: inferRandom, run: runRandom,
	}}
}

func inferRandom(o *Op) ([]Type, error) {
	state := o.InTypes[0]
	if state.DType != U64 || len(state.Dims) != 1 || state.Dims[0] < 2 || state.Dims[0] > 3 || len(o.OutTypes) != 2 ||
		!o.OutTypes[1].DType.Integer() {
		return nil, fmt.Errorf("a state %v does not give %v", state, o.OutTypes)
	}
	return []Type{state, o.OutTypes[1]}, nil
}

// runRandom draws the bits that GoMLX's Go backend would draw from the same state, whatever the algorithm is called:
// PCG, eight bytes a number, the lowest first. So what is made of them can be compared with that backend.
func runRandom(_ *execution, o *Op, in []*Tensor) ([]*Tensor, error) {
	state := &Tensor{in[0].Type, slices.Clone(in[0].Data)}
	words := view[uint64](state)
	source := rand.NewPCG(words[0], words[1])
	out := NewTensor(o.OutTypes[1])
	var bits [8]byte
	for at := 0; at < len(out.Data); at += len(bits) {
		binary.LittleEndian.PutUint64(bits[:], source.Uint64())
		copy(out.Data[at:], bits[:])
	}
	after, err := source.MarshalBinary() // "pcg:" and two numbers, high byte first
	if err != nil || len(after) != 20 {
		return nil, fmt.Errorf("the state of Go's PCG has %d bytes: %w", len(after), err)
	}
	words[0], words[1] = binary.LittleEndian.Uint64(after[4:]), binary.LittleEndian.Uint64(after[12:])
	return []*Tensor{state, out}, nil
}
