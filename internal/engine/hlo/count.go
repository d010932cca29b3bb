package hlo

import (
	"fmt"
	"slices"
	"strings"
)

// Kernel is work that a GPU starts as one.
type Kernel struct {
	Name       string  // its instruction's
	Runs       int     // in one run of the program
	Operations float64 // of its products, two a multiply-add
	Bytes      float64 // read from the device's memory and written to it
}

// Counts are what a program does in one run.
type Counts struct {
	Kernels []Kernel
	Loops   int // whose number of steps is not known: one step of each is counted, with its condition
}

// Peak is what a device does at most in a second.
type Peak struct {
	Bytes      float64 // read or written
	Operations float64 // of products, two a multiply-add
	Start      float64 // seconds from one kernel to the next, whatever they do
}

// Count counts what a HloModuleProtoWithConfig does. It fails where that cannot be read.
//
// A kernel is an instruction of the program or of what it calls, but for those that only name values. It reads its
// operands once and writes its result; of an operand that it only gathers or slices from it reads what it takes, and
// of one that it only updates it writes the new part. Values that several kernels use are read by each, as if there
// were no cache.
func Count(optimized []byte) (c Counts, err error) {
	m, err := read(optimized)
	if err != nil {
		return c, fmt.Errorf("read an optimized program: %w", err)
	}
	m.count(m.computations[m.entry], 1, &c)
	return c, nil
}

// Runs is how many kernels are started.
func (c Counts) Runs() (runs int) {
	for _, k := range c.Kernels {
		runs += k.Runs
	}
	return runs
}

// Operations are all kernels' products', two a multiply-add.
func (c Counts) Operations() float64 {
	return c.sum(func(k Kernel) float64 { return k.Operations })
}

// Bytes are what all kernels read and write.
func (c Counts) Bytes() float64 { return c.sum(func(k Kernel) float64 { return k.Bytes }) }

// Seconds is the time that a program takes at least: of each kernel what its bytes or its operations take, whichever
// is more, and its start.
func (c Counts) Seconds(p Peak) float64 {
	return c.sum(func(k Kernel) float64 { return max(k.Bytes/p.Bytes, k.Operations/p.Operations) + p.Start })
}

func (c Counts) sum(of func(Kernel) float64) (total float64) {
	for _, k := range c.Kernels {
		total += float64(k.Runs) * of(k)
	}
	return total
}

// free are the instructions that only name values or hold those of the program's text.
var free = []string{
	"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "iota", "partition-id", "copy-done",
	"async-update", "async-done",
}

// count adds a computation's kernels, which run so many times.
func (m module) count(c *computation, runs int, to *Counts) {
	for _, i := range c.instructions {
		switch {
		case slices.Contains(free, i.opcode):
		case i.opcode == "while":
			if i.loops == 0 {
				to.Loops++
				m.countCalled(i.called, runs, to)
			} else {
				m.countCalled(i.called[:1], runs*i.loops, to) // the body: nothing asks the condition
			}
		case slices.Contains([]string{"call", "conditional", "async-start"}, i.opcode):
			m.countCalled(i.called, runs, to)
		default:
			to.Kernels = append(to.Kernels, Kernel{i.name, runs, m.operations(c, i), m.bytes(c, i)})
		}
	}
}

func (m module) countCalled(ids []int64, runs int, to *Counts) {
	for _, id := range ids {
		if called := m.computations[id]; called != nil {
			m.count(called, runs, to)
		}
	}
}

// operations are those of the products in an instruction.
func (m module) operations(c *computation, i *instruction) float64 {
	if i.opcode == "fusion" {
		total := 0.
		for _, id := range i.called {
			if called := m.computations[id]; called != nil {
				for _, inner := range called.instructions {
					total += m.operations(called, inner)
				}
			}
		}
		return total
	}
	if len(i.contracted) == 0 || len(i.operands) == 0 {
		return 0
	}
	result := i.shape
	if len(result.tuple) > 0 {
		result = result.tuple[0] // the others are a library's workspace
	}
	total := 2 * result.elements()
	if left := c.byID[i.operands[0]]; left != nil {
		for _, d := range i.contracted {
			if int(d) < len(left.shape.dimensions) {
				total *= float64(left.shape.dimensions[d])
			}
		}
	}
	return total
}

// bytes are those that an instruction reads and writes.
func (m module) bytes(c *computation, i *instruction) float64 {
	if i.opcode == "dynamic-update-slice" && len(i.operands) > 1 {
		return 2 * c.sizeOf(i.operands[1])
	}
	total := i.shape.size()
	var inner *computation
	if i.opcode == "fusion" && len(i.called) > 0 {
		inner = m.computations[i.called[0]]
	}
	for number, id := range i.operands {
		read := c.sizeOf(id)
		if number == 0 && taking(i.opcode) {
			read = i.shape.size()
		}
		if inner != nil {
			less, inPlace := inner.taken(int64(number), read)
			read = less
			if inPlace {
				total -= i.shape.size() - less
			}
		}
		total += read
	}
	return total
}

// taken is what a fusion takes of an operand of some size, and whether it only updates that in place.
func (c *computation) taken(number int64, size float64) (read float64, inPlace bool) {
	var used []*instruction
	var parameter int64
	for _, i := range c.instructions {
		if i.opcode == "parameter" && i.parameter == number {
			parameter = i.id
		}
	}
	for _, i := range c.instructions {
		if slices.Contains(i.operands, parameter) {
			used = append(used, i)
		}
	}
	all := func(is func(opcode string) bool) bool {
		return len(used) > 0 && !slices.ContainsFunc(used, func(i *instruction) bool {
			return !is(i.opcode) || i.operands[0] != parameter || slices.Contains(i.operands[1:], parameter)
		})
	}
	switch {
	case all(taking):
		for _, i := range used {
			read += i.shape.size()
		}
		return min(read, size), false
	case all(func(opcode string) bool { return opcode == "dynamic-update-slice" }):
		for _, i := range used {
			read += c.sizeOf(i.operands[1])
		}
		return read, true
	default:
		return size, false
	}
}

// taking tells whether an operation reads of its first operand what it returns.
func taking(opcode string) bool {
	return opcode == "gather" || strings.HasSuffix(opcode, "slice") && opcode != "dynamic-update-slice"
}

// sizeOf is the size of an instruction's value.
func (c *computation) sizeOf(id int64) float64 {
	if i := c.byID[id]; i != nil {
		return i.shape.size()
	}
	return 0
}

// elements are an array's.
func (s shape) elements() float64 {
	total := 1.
	for _, d := range s.dimensions {
		total *= float64(d)
	}
	return total
}

// size is an array's or a tuple's in bytes.
func (s shape) size() float64 {
	total := 0.
	for _, part := range s.tuple {
		total += part.size()
	}
	return total + widths[s.kind]*s.elements()
}

// widths are the bytes of XLA's PrimitiveTypes that programs here have: truth values, whole numbers, fractions.
var widths = map[int64]float64{
	1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 2, 11: 4, 12: 8, 16: 2,
}
