package hlo

import (
	"encoding/json"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// module is a program: computations by their ids, the one that runs first among them.
type module struct {
	entry        int64
	computations map[int64]*computation
}

// computation is a list of instructions, each of which computes one value.
type computation struct {
	instructions []*instruction
	byID         map[int64]*instruction
}

// instruction is an operation with its operands.
type instruction struct {
	id, parameter    int64 // parameter: its number, of an instruction "parameter"
	name, opcode     string
	shape            shape
	operands, called []int64 // ids of instructions, of computations
	contracted       []int64 // of a product: the dimensions of the first operand that are summed over
	loops            int     // of a while loop: its steps, 0 if they are not known
}

// shape is that of an array, or of a tuple of them.
type shape struct {
	kind       int64 // XLA's PrimitiveType
	dimensions []int64
	tuple      []shape
}

// read reads a HloModuleProtoWithConfig. Field numbers here and below are those of XLA's hlo.proto and xla_data.proto.
func read(proto []byte) (m module, err error) {
	m.computations = map[int64]*computation{}
	err = fields(proto, func(f field) error {
		if f.number != 1 { // hlo_module
			return nil
		}
		return fields(f.bytes, func(f field) error {
			switch f.number {
			case 3:
				id, c, err := readComputation(f.bytes)
				m.computations[id] = c
				return err
			case 6:
				m.entry = f.whole
			}
			return nil
		})
	})
	if err == nil && m.computations[m.entry] == nil {
		err = fmt.Errorf("no computation has the entry's id %d", m.entry)
	}
	return m, err
}

func readComputation(proto []byte) (id int64, c *computation, err error) {
	c = &computation{byID: map[int64]*instruction{}}
	err = fields(proto, func(f field) error {
		switch f.number {
		case 2:
			i, err := readInstruction(f.bytes)
			c.instructions, c.byID[i.id] = append(c.instructions, i), i
			return err
		case 5:
			id = f.whole
		}
		return nil
	})
	return id, c, err
}

func readInstruction(proto []byte) (*instruction, error) {
	i := &instruction{}
	err := fields(proto, func(f field) (err error) {
		switch f.number {
		case 1:
			i.name = string(f.bytes)
		case 2:
			i.opcode = string(f.bytes)
		case 3:
			i.shape, err = readShape(f.bytes)
		case 9:
			i.parameter = f.whole
		case 30: // dot_dimension_numbers
			err = fields(f.bytes, func(f field) (err error) {
				if f.number == 1 {
					i.contracted, err = f.wholes(i.contracted)
				}
				return err
			})
		case 35:
			i.id = f.whole
		case 36:
			i.operands, err = f.wholes(i.operands)
		case 38:
			i.called, err = f.wholes(i.called)
		case 43:
			i.configured(f.bytes)
		}
		return err
	})
	return i, err
}

// configured takes what is needed of a backend_config: the steps of a loop, the dimensions of a product that a library
// computes. There are other configurations, which need not be JSON.
func (i *instruction) configured(text []byte) {
	var config struct {
		Steps struct{ N string } `json:"known_trip_count"`
		Gemm  struct {
			Dimensions struct {
				Contracted []string `json:"lhs_contracting_dimensions"`
			} `json:"dot_dimension_numbers"`
		} `json:"gemm_backend_config"`
	}
	if json.Unmarshal(text, &config) != nil {
		return
	}
	i.loops, _ = strconv.Atoi(config.Steps.N)
	for _, text := range config.Gemm.Dimensions.Contracted {
		if dimension, err := strconv.ParseInt(text, 10, 64); err == nil {
			i.contracted = append(i.contracted, dimension)
		}
	}
}

func readShape(proto []byte) (s shape, err error) {
	err = fields(proto, func(f field) (err error) {
		switch f.number {
		case 2:
			s.kind = f.whole
		case 3:
			s.dimensions, err = f.wholes(s.dimensions)
		case 4:
			var part shape
			part, err = readShape(f.bytes)
			s.tuple = append(s.tuple, part)
		}
		return err
	})
	return s, err
}

// field is one of a proto: a whole number or bytes.
type field struct {
	number protowire.Number
	whole  int64
	bytes  []byte
}

// wholes appends the field's numbers, which stand one a field or packed.
func (f field) wholes(to []int64) ([]int64, error) {
	if f.bytes == nil {
		return append(to, f.whole), nil
	}
	for rest := f.bytes; len(rest) > 0; {
		v, n := protowire.ConsumeVarint(rest)
		if n < 0 {
			return to, protowire.ParseError(n)
		}
		to, rest = append(to, int64(v)), rest[n:]
	}
	return to, nil
}

// fields hands the fields of a proto to take, but for those that are neither whole numbers nor bytes.
func fields(proto []byte, take func(field) error) error {
	for len(proto) > 0 {
		number, kind, n := protowire.ConsumeTag(proto)
		if n < 0 {
			return protowire.ParseError(n)
		}
		size := protowire.ConsumeFieldValue(number, kind, proto[n:])
		if size < 0 {
			return protowire.ParseError(size)
		}
		f := field{number: number}
		switch value := proto[n : n+size]; kind {
		case protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			f.whole = int64(v)
		case protowire.BytesType:
			f.bytes, _ = protowire.ConsumeBytes(value)
		default:
			proto = proto[n+size:]
			continue
		}
		if err := take(f); err != nil {
			return err
		}
		proto = proto[n+size:]
	}
	return nil
}
