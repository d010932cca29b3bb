// Package layers computes linear layers with ReLUs between them on the host, for a few rows at a time, as a decision
// needs. A graph of GoMLX's Go backend takes several times as long for so few rows, because each of its operations has
// a fixed cost.
package layers

// Layer is y = x·W + b with the weights laid out for the kernels: in each tile of columns the weights of a row stand
// side by side. Rows and columns are filled up with zeros.
type Layer struct {
	in, out int       // padded
	tiles   []float32 // [out/tile][in][tile]
	bias    []float32 // [out]
}

// unrolled is the number of inputs that a kernel takes at a time.
const unrolled = 4

// New lays out a layer of weights w [in,out], row by row, and biases b [out]. A nil b means a layer without biases.
func New(w, b []float32, in, out int) Layer {
	tile := tileWidth()
	l := Layer{in: RoundUp(in, unrolled), out: RoundUp(out, tile)}
	l.tiles, l.bias = make([]float32, l.in*l.out), make([]float32, l.out)
	copy(l.bias, b)
	for first := 0; first < out; first += tile {
		to := l.tiles[first*l.in:]
		for i := range in {
			copy(to[i*tile:(i+1)*tile], w[i*out+first:i*out+min(first+tile, out)])
		}
	}
	return l
}

// Net is layers, one after another, with a ReLU between each two of them. The last one stays linear.
type Net []Layer

// Rows are the inputs or outputs of layers, Stride values each. The values behind the last input or output are zero.
// The zero value is empty.
type Rows struct {
	Values []float32
	Stride int
}

// Of returns row i.
func (r *Rows) Of(i int) []float32 { return r.Values[i*r.Stride : (i+1)*r.Stride] }

// room provides memory for rows of a stride. It holds old values, or zeros if it is new.
func (r *Rows) room(rows, stride int) {
	if need := rows * stride; len(r.Values) < need {
		r.Values = make([]float32, need)
	}
	r.Stride = stride
}

// Scratch is the memory of a calculation, to be used again. The zero value is ready.
type Scratch struct{ a, b Rows }

// In returns the rows into which the caller writes the inputs of a network, width values each, before Run. The values
// behind them are zero. besides may be the result of another Run, which In then does not overwrite, or nil.
func (s *Scratch) In(n Net, rows, width int, besides *Rows) *Rows {
	in := &s.a
	if besides == in {
		in = &s.b
	}
	in.room(rows, n[0].in)
	for i := range rows {
		clear(in.Of(i)[width:])
	}
	return in
}

// Run computes the network of the rows of In. The result is valid until the next In or Run.
func (s *Scratch) Run(n Net, x *Rows, rows int) *Rows {
	y := &s.a
	if x == y {
		y = &s.b
	}
	for i, l := range n {
		y.room(rows, l.out)
		l.apply(y, x, rows, i < len(n)-1)
		x, y = y, x
	}
	return x
}

// apply computes rows of y from rows of x. The stride of x is at least the layer's number of inputs.
func (l *Layer) apply(y, x *Rows, rows int, relu bool) {
	tile := tileWidth()
	for first := 0; first < l.out; first += tile {
		weights := l.tiles[first*l.in : (first+tile)*l.in]
		bias := l.bias[first : first+tile]
		row := 0
		for ; row+2 <= rows; row += 2 {
			twoRows(y.Of(row)[first:], y.Of(row + 1)[first:], x.Of(row)[:l.in], x.Of(row + 1)[:l.in],
				weights, bias, relu)
		}
		if row < rows {
			oneRow(y.Of(row)[first:], x.Of(row)[:l.in], weights, bias, relu)
		}
	}
}

// RoundUp returns the least multiple of step that is not below n.
func RoundUp(n, step int) int { return (n + step - 1) / step * step }
