package stablehlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// random returns a program's arguments, small numbers.
func random(p *Program) (args []*Tensor) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, t := range p.Main().Params() {
		x := NewTensor(t)
		numbers := make([]float64, t.Size())
		for i := range numbers {
			numbers[i] = math.Round(r.NormFloat64()*64) / 64 // exact in every float type but bf16
		}
		x.Fill(numbers)
		args = append(args, x)
	}
	return args
}

const dotOp = `%r = "stablehlo.dot_general"(%arg0, %arg1) {
      dot_dimension_numbers = #stablehlo.dot<
  lhs_batching_dimensions = [1],
  rhs_batching_dimensions = [0],
  lhs_contracting_dimensions = [0],
  rhs_contracting_dimensions = [2]
>,ALGORITHM
      precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]
    } : (tensor<7x2x3xf32>, tensor<2x45x7xf32>) -> tensor<2x3x45xf32>
"stablehlo.return"(%r) : (tensor<2x3x45xf32>) -> ()`

// A product with a batch, of a size that uses vectors and what is left over, against four loops; and under TF32 against
// the loops on rounded numbers.
func TestDot(t *testing.T) {
	for name, algorithm := range map[string]string{
		"float32": "",
		"TF32": `
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32,
  accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
  allow_imprecise_accumulation = false>,`,
	} {
		p := must.M1(Parse(program("7x2x3xf32; 2x45x7xf32", "2x3x45xf32", replaced(dotOp, "ALGORITHM", algorithm))))
		args := random(p)
		for i, v := range view[float32](args[0]) {
			view[float32](args[0])[i] = v + 1e-4*float32(i) // more than 10 bits
		}
		a, b, got := view[float32](args[0]), view[float32](args[1]), must.M1(p.Run(args))[0].Numbers()
		plain := 0
		for batch := range 2 {
			for i := range 3 {
				for j := range 45 {
					var exact, short float64
					for k := range 7 {
						x, y := a[k*6+batch*3+i], b[batch*45*7+j*7+k]
						exact += float64(x) * float64(y)
						short += float64(tensorFloat(x)) * float64(tensorFloat(y))
					}
					want := exact
					if name == "TF32" {
						want = short
					}
					if g := got[batch*135+i*45+j]; !(math.Abs(g-want) <= 1e-5) {
						t.Errorf("%s: place %d %d %d is %g, want %g", name, batch, i, j, g, want)
					}
					if math.Abs(exact-short) > 1e-5 {
						plain++
					}
				}
			}
		}
		if plain == 0 {
			t.Error("rounding to TF32 changes nothing")
		}
	}
}

// A convolution with strides, padding, dilations and two groups, and another order of axes on each side, against loops
// over the specification's definition.
func TestConvolution(t *testing.T) {
	p := must.M1(Parse(program("2x6x5x4xf32; 6x2x3x2xf32", "2x6x4x4xf32", `%r = "stablehlo.convolution"(%arg0, %arg1) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[o, i, 0, 1]->[b, f, 0, 1]>,
      feature_group_count = 2 : i64,
      lhs_dilation = array<i64: 1, 2>,
      padding = dense<[[1, 2], [0, 1]]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: 1, 3>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 2, 2>
    } : (tensor<2x6x5x4xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x4x4xf32>
"stablehlo.return"(%r) : (tensor<2x6x4x4xf32>) -> ()`)))
	args := random(p)
	x, k, got := view[float32](args[0]), view[float32](args[1]), must.M1(p.Run(args))[0].Numbers()
	at := 0
	for image := range 2 {
		for feature := range 6 {
			for row := range 4 {
				for column := range 4 {
					var want float64
					for i := range 2 {
						for u := range 3 {
							for v := range 2 {
								r, c := row*2+u-1, column*2+v*3
								if r < 0 || r >= 6 || c%2 != 0 || c/2 >= 5 {
									continue
								}
								source := ((image*6+r)*5+c/2)*4 + feature/3*2 + i
								want += float64(x[source]) * float64(k[((feature*2+i)*3+u)*2+v])
							}
						}
					}
					if !(math.Abs(got[at]-want) <= 1e-5) {
						t.Fatalf("place %d %d %d %d is %g, want %g", image, feature, row, column, got[at], want)
					}
					at++
				}
			}
		}
	}
}

// Rows are gathered by index, clamped at the ends; scattered ones add up, and those outside are left out.
func TestGatherAndScatter(t *testing.T) {
	got := result(t, `gather"(%a, %b) { dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
 operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>,
 indices_are_sorted = false, slice_sizes = array<i64: 1, 2> }`, "3x2xf32; 4xi32", "4x2xf32",
		"[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]: 3x2xf32", "[2, 0, -5, 9]: 4xi32")
	if want := []float64{5, 6, 1, 2, 1, 2, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("gathered %v, want %v", got, want)
	}
	got = result(t, `scatter"(%a, %b, %c) `+sumRegion+` { scatter_dimension_numbers = #stablehlo.scatter<
 update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [],
 scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false }`,
		"2x2xf32; 4x1xi32; 4x2xf32", "2x2xf32", "1.0: 2x2xf32", "[[1], [1], [7], [-1]]: 4x1xi32",
		"[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]: 4x2xf32")
	if want := []float64{1, 1, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("scattered %v, want %v", got, want)
	}
}

// A reduction by a region of several operations and two results: the largest of each row and where it stands.
func TestReduceByARegion(t *testing.T) {
	lines := constant("v", "[[1.0, 5.0, 2.0], [7.0, 7.0, 0.0]]", "2x3xf32") +
		constant("i", "[[0, 1, 2], [0, 1, 2]]", "2x3xi32") +
		constant("low", "-9.0", "f32") + constant("none", "-1", "i32") +
		`%m, %at = "stablehlo.reduce"(%v, %i, %low, %none) ` + replaced(replaced(argRegion, "%v", "%w"), "%i:", "%n:") +
		` { dimensions = array<i64: 1> } : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
"stablehlo.return"(%at) : (tensor<2xi32>) -> ()`
	p, err := Parse(program("", "2xi32", replaced(lines, "(%c, %i, %j)", "(%c, %n, %j)")))
	if err != nil {
		t.Fatal(err)
	}
	if got := must.M1(p.Run(nil))[0].Numbers(); !slices.Equal(got, []float64{1, 0}) {
		t.Errorf("the largest stand at %v", got)
	}
}

// A loop counts to its limit, a branch is taken, a function is called.
func TestControl(t *testing.T) {
	p := must.M1(Parse(`module @m {
  func.func @twice(%arg0: tensor<i32>) -> tensor<i32> {
    %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%0) : (tensor<i32>) -> ()
  }
  func.func @main(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %limit = "stablehlo.constant"() { value = dense<100> : tensor<i32> } : () -> tensor<i32>
    %0 = "stablehlo.while"(%arg0) ({
      ^cond(%s: tensor<i32>) :
        %1 = "stablehlo.compare"(%s, %limit) { comparison_direction = #stablehlo<comparison_direction LT> } : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }, {
      ^body(%s: tensor<i32>) :
        %1 = "func.call"(%s) { callee = @twice } : (tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%1) : (tensor<i32>) -> ()
    }) : (tensor<i32>) -> tensor<i32>
    %2 = "stablehlo.compare"(%arg0, %0) { comparison_direction = #stablehlo<comparison_direction EQ> } : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
        "stablehlo.return"(%limit) : (tensor<i32>) -> ()
    }, {
        "stablehlo.return"(%0) : (tensor<i32>) -> ()
    }) : (tensor<i1>) -> tensor<i32>
    "stablehlo.return"(%0, %3) : (tensor<i32>, tensor<i32>) -> ()
  }
}`))
	for start, want := range map[float64][]float64{3: {192, 192}, 200: {200, 100}} {
		x := NewTensor(p.Main().Params()[0])
		x.Fill([]float64{start})
		out := must.M1(p.Run([]*Tensor{x}))
		if got := []float64{out[0].Numbers()[0], out[1].Numbers()[0]}; !slices.Equal(got, want) {
			t.Errorf("from %g: %v, want %v", start, got, want)
		}
	}
}

// Random bits are those of Go's PCG, and the state goes on.
func TestRandomBits(t *testing.T) {
	p := must.M1(Parse(program("3xui64", "3xui64", `%s, %r = "stablehlo.rng_bit_generator"(%arg0) {
 rng_algorithm = #stablehlo<rng_algorithm PHILOX> } : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xui32>)
%t, %u = "stablehlo.rng_bit_generator"(%s) { rng_algorithm = #stablehlo<rng_algorithm PHILOX> } : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xui64>)
"stablehlo.return"(%u) : (tensor<3xui64>) -> ()`)))
	x := NewTensor(p.Main().Params()[0])
	copy(view[uint64](x), []uint64{5, 6, 7})
	source := rand.NewPCG(5, 6)
	source.Uint64() // 12 bytes take two words
	source.Uint64()
	got := view[uint64](must.M1(p.Run([]*Tensor{x}))[0])
	state := must.M1(source.MarshalBinary())
	if len(state) != 20 || len(got) != 3 {
		t.Fatalf("%d bytes of state, %v", len(state), got)
	}
	// the state is handed on byte-swapped, as GoMLX does it
	swap := func(b []byte) (n uint64) {
		for i := range 8 {
			n |= uint64(b[i]) << (8 * i)
		}
		return n
	}
	next := rand.NewPCG(swap(state[4:]), swap(state[12:]))
	for i, g := range got {
		if want := next.Uint64(); g != want {
			t.Errorf("word %d is %x, want %x", i, g, want)
		}
	}
}
