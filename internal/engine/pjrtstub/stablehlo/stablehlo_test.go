package stablehlo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// program wraps lines into a module whose main takes and returns what the types say.
func program(params, results, lines string) string {
	var named []string
	if params != "" {
		for i, t := range strings.Split(params, "; ") {
			named = append(named, fmt.Sprintf("%%arg%d: tensor<%s>", i, t))
		}
	}
	return fmt.Sprintf("module @test {\n  func.func @main(%s) -> tensor<%s> {\n%s\n  }\n}\n",
		strings.Join(named, ", "), results, lines)
}

// constant is a line that defines a value, given as dense text and type.
func constant(name, dense, typ string) string {
	return fmt.Sprintf("%%%s = \"stablehlo.constant\"() { value = dense<%s> : tensor<%s> } : () -> tensor<%s>\n",
		name, dense, typ, typ)
}

// result runs a program without arguments whose constants a, b, … are given as "dense: type", and returns the numbers
// of what its one operation yields.
func result(t *testing.T, operation, inTypes, outType string, constants ...string) []float64 {
	t.Helper()
	var lines string
	for i, c := range constants {
		dense, typ, _ := strings.Cut(c, ": ")
		lines += constant(string(rune('a'+i)), dense, typ)
	}
	lines += fmt.Sprintf("%%r = \"stablehlo.%s : (%s) -> tensor<%s>\n\"stablehlo.return\"(%%r) : (tensor<%s>) -> ()",
		operation, tensors(inTypes), outType, outType)
	p, err := Parse(program("", outType, lines))
	if err != nil {
		t.Errorf("%s: %v", operation, err)
		return nil
	}
	out, err := p.Run(nil)
	if err != nil {
		t.Errorf("%s: %v", operation, err)
		return nil
	}
	if len(out[0].Data) != out[0].Type.Bytes() || !out[0].Type.Equal(p.Main().Results[0]) {
		t.Errorf("%s: the result is %v", operation, out[0].Type)
	}
	return out[0].Numbers()
}

func tensors(types string) string {
	if types == "" {
		return ""
	}
	var all []string
	for t := range strings.SplitSeq(types, "; ") {
		all = append(all, "tensor<"+t+">")
	}
	return strings.Join(all, ", ")
}

const sumRegion = `({ ^f(%x: tensor<f32>, %y: tensor<f32>):
 %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
 "stablehlo.return"(%s) : (tensor<f32>) -> () })`

// argRegion keeps the larger value and its index, as ArgMax does.
const argRegion = `({ ^f(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
 %c = "stablehlo.compare"(%x, %y) { comparison_direction = #stablehlo<comparison_direction GE> } : (tensor<f32>, tensor<f32>) -> tensor<i1>
 %v = "stablehlo.select"(%c, %x, %y) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
 %k = "stablehlo.select"(%c, %i, %j) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
 "stablehlo.return"(%v, %k) : (tensor<f32>, tensor<i32>) -> () })`

// Expected values are by hand, from the specification's definitions.
func TestOperations(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		operation, in, out string
		constants          []string
		want               []float64
	}{
		{
			`add"(%a, %b)`, "2xi8; 2xi8", "2xi8",
			[]string{"[100, -3]: 2xi8", "[100, 5]: 2xi8"},
			[]float64{-56, 2},
		},
		{
			`divide"(%a, %b)`, "2xi32; 2xi32", "2xi32",
			[]string{"[-7, 1]: 2xi32", "[2, 0]: 2xi32"},
			[]float64{-3, -1},
		},
		{
			`maximum"(%a, %b)`, "2xf32; 2xf32", "2xf32",
			[]string{"[1.0, 0x7FC00000]: 2xf32", "[2.0, 0.0]: 2xf32"},
			[]float64{2, nan},
		},
		{
			`shift_right_logical"(%a, %b)`, "2xi8; 2xi8", "2xi8",
			[]string{"[-1, -1]: 2xi8", "[4, 9]: 2xi8"},
			[]float64{15, 0},
		},
		{
			`shift_right_arithmetic"(%a, %b)`, "2xi8; 2xi8", "2xi8",
			[]string{"[-16, -16]: 2xi8", "[2, 9]: 2xi8"},
			[]float64{-4, -1},
		},
		{`xor"(%a, %b)`, "2xi1; 2xi1", "2xi1", []string{"[true, false]: 2xi1", "true: 2xi1"}, []float64{0, 1}},
		{
			`power"(%a, %b)`, "2xf64; 2xf64", "2xf64",
			[]string{"[2.0, 9.0]: 2xf64", "[10.0, 0.5]: 2xf64"},
			[]float64{1024, 3},
		},
		{`sign"(%a)`, "3xf32", "3xf32", []string{"[-2.0, 0.0, 5.0]: 3xf32"}, []float64{-1, 0, 1}},
		{`round_nearest_even"(%a)`, "2xf32", "2xf32", []string{"[2.5, -3.5]: 2xf32"}, []float64{2, -4}},
		{`is_finite"(%a)`, "2xf32", "2xi1", []string{"[1.0, 0x7F800000]: 2xf32"}, []float64{1, 0}},
		{
			`convert"(%a)`, "4xf32", "4xi32",
			[]string{"[-1.9, 3.0e9, -3.0e9, 0x7FC00000]: 4xf32"},
			[]float64{-1, math.MaxInt32, math.MinInt32, 0},
		},
		{`convert"(%a)`, "2xi32", "2xi1", []string{"[-256, 0]: 2xi32"}, []float64{1, 0}},
		{
			`convert"(%a)`, "2xf32", "2xbf16",
			[]string{"[1.00390625, 1.01171875]: 2xf32"},
			[]float64{1, 1.015625},
		},
		{
			`add"(%a, %b)`, "1xbf16; 1xbf16", "1xbf16",
			[]string{"[256.0]: 1xbf16", "[1.0]: 1xbf16"},
			[]float64{256},
		},
		{
			`compare"(%a, %b) { comparison_direction = #stablehlo<comparison_direction LT>,
 compare_type = #stablehlo<comparison_type UNSIGNED> }`,
			"2xui8; 2xui8", "2xi1",
			[]string{"[200, 1]: 2xui8", "[100, 2]: 2xui8"},
			[]float64{0, 1},
		},
		{
			`select"(%a, %b, %c)`, "2xi1; 2xf32; 2xf32", "2xf32",
			[]string{"[true, false]: 2xi1", "[1.0, 2.0]: 2xf32", "[3.0, 4.0]: 2xf32"},
			[]float64{1, 4},
		},
		{
			`select"(%a, %b, %c)`, "i1; 2xf32; 2xf32", "2xf32",
			[]string{"false: i1", "[1.0, 2.0]: 2xf32", "[3.0, 4.0]: 2xf32"},
			[]float64{3, 4},
		},
		{
			`clamp"(%a, %b, %c)`, "f32; 3xf32; f32", "3xf32",
			[]string{"0.0: f32", "[-1.0, 0.5, 2.0]: 3xf32", "1.0: f32"},
			[]float64{0, 0.5, 1},
		},
		{`bitcast_convert"(%a)`, "1xf32", "1xi32", []string{"[1.0]: 1xf32"}, []float64{0x3f800000}},
		{`iota"() { iota_dimension = 0 : i64 }`, "", "2x2xf32", nil, []float64{0, 0, 1, 1}},
		{
			`broadcast_in_dim"(%a) { broadcast_dimensions = array<i64: 1, 0> }`, "1x2xf32", "2x3xf32",
			[]string{"[[1.0, 2.0]]: 1x2xf32"},
			[]float64{1, 1, 1, 2, 2, 2},
		},
		{
			`transpose"(%a) { permutation = array<i64: 1, 0> }`, "2x3xi8", "3x2xi8",
			[]string{"[[1, 2, 3], [4, 5, 6]]: 2x3xi8"},
			[]float64{1, 4, 2, 5, 3, 6},
		},
		{
			`reverse"(%a) { dimensions = array<i64: 1> }`, "2x3xi16", "2x3xi16",
			[]string{"[[1, 2, 3], [4, 5, 6]]: 2x3xi16"},
			[]float64{3, 2, 1, 6, 5, 4},
		},
		{
			`concatenate"(%a, %b) { dimension = 1 : i64 }`, "2x1xi64; 2x2xi64", "2x3xi64",
			[]string{"[[1], [2]]: 2x1xi64", "[[3, 4], [5, 6]]: 2x2xi64"},
			[]float64{1, 3, 4, 2, 5, 6},
		},
		{
			`slice"(%a) { start_indices = array<i64: 1>, limit_indices = array<i64: 6>, strides = array<i64: 2> }`,
			"7xf32", "3xf32",
			[]string{"[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]: 7xf32"},
			[]float64{1, 3, 5},
		},
		{
			`pad"(%a, %b) { edge_padding_low = array<i64: -1>,
 edge_padding_high = array<i64: 2>, interior_padding = array<i64: 1> }`,
			"3xf32; f32", "6xf32",
			[]string{"[1.0, 2.0, 3.0]: 3xf32", "9.0: f32"},
			[]float64{9, 2, 9, 3, 9, 9},
		},
		{
			`dynamic_slice"(%a, %b) { slice_sizes = array<i64: 2> }`, "4xf32; i32", "2xf32",
			[]string{"[1.0, 2.0, 3.0, 4.0]: 4xf32", "9: i32"},
			[]float64{3, 4},
		},
		{
			`dynamic_update_slice"(%a, %b, %c)`, "4xf32; 2xf32; i32", "4xf32",
			[]string{"[1.0, 2.0, 3.0, 4.0]: 4xf32", "[8.0, 9.0]: 2xf32", "1: i32"},
			[]float64{1, 8, 9, 4},
		},
		{
			`reduce"(%a, %b) ` + sumRegion + ` { dimensions = array<i64: 0> }`, "2x2xf32; f32", "2xf32",
			[]string{"[[1.0, 2.0], [3.0, 4.0]]: 2x2xf32", "10.0: f32"},
			[]float64{14, 16},
		},
		{
			`sort"(%a) ({ ^f(%x: tensor<f32>, %y: tensor<f32>):
 %s = "stablehlo.compare"(%x, %y) {
 comparison_direction = #stablehlo<comparison_direction GT> } : (tensor<f32>, tensor<f32>) -> tensor<i1>
 "stablehlo.return"(%s) : (tensor<i1>) -> () }) { dimension = 0 : i64, is_stable = true }`, "3x2xf32", "3x2xf32",
			[]string{"[[1.0, 9.0], [3.0, 7.0], [2.0, 8.0]]: 3x2xf32"},
			[]float64{3, 9, 2, 8, 1, 7},
		},
	} {
		got := result(t, c.operation, c.in, c.out, c.constants...)
		if len(got) != len(c.want) {
			t.Errorf("%s yields %v, want %v", c.operation, got, c.want)
			continue
		}
		for i := range got {
			if !(got[i] == c.want[i] || math.IsNaN(got[i]) && math.IsNaN(c.want[i])) {
				t.Errorf("%s yields %v, want %v", c.operation, got, c.want)
				break
			}
		}
	}
}

func replaced(text, old, new string) string { return strings.ReplaceAll(text, old, new) }

// What the specification forbids is refused, with the line and the operation.
func TestRefusals(t *testing.T) {
	const add = `%0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
"stablehlo.return"(%0) : (tensor<2xf32>) -> ()`
	right := program("2xf32; 2xf32", "2xf32", add)
	if _, err := Parse(right); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"stablehlo.add", "stablehlo.frobnicate", "lacks this operation"},
		{`(%arg0, %arg1) :`, `(%arg0, %arg2) :`, "%arg2 is not defined"},
		{`(%arg0, %arg1) :`, `(%arg0) :`, "1 operands and 1 results have 2 and 1 types"},
		{"(tensor<2xf32>, tensor<2xf32>) ->", "(tensor<2xf32>, tensor<3xf32>) ->", "is said to be tensor<3xf32>"},
		{"-> tensor<2xf32>\n\"", "-> tensor<2xf64>\n\"", "are said to be [tensor<2xf64>]"},
		{"%arg1: tensor<2xf32>", "%arg1: tensor<2xi1>", "is said to be"},
		{"%0 = ", "%arg0 = ", "defined twice"},
		{"(%arg0, %arg1) :", "(%arg0, %arg1) { axis = 1 : i64 } :", "attribute axis is not known"},
		{") -> tensor<2xf32> {", ") -> tensor<3xf32> {", "returns"},
		{"@main", "@other", "no function @main"},
		{`"stablehlo.return"(%0) : (tensor<2xf32>) -> ()`, "", "is not of StableHLO"},
		{"tensor<2xf32>", "tensor<?xf32>", ""},
		{"tensor<2xf32>", "tensor<2xf8>", "f8 is not known"},
	} {
		if _, err := Parse(replaced(right, c.old, c.new)); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%q for %q: %v, want an error with %q", c.new, c.old, err, c.want)
		}
	}
}

// Attributes that contradict the types are refused.
func TestWrongAttributes(t *testing.T) {
	for _, c := range []struct{ operation, in, out string }{
		{`slice"(%arg0) { start_indices = array<i64: 0>,
 limit_indices = array<i64: 5>, strides = array<i64: 1> }`, "4xf32", "5xf32"},
		{`slice"(%arg0) { start_indices = array<i64: 0>,
 limit_indices = array<i64: 4>, strides = array<i64: 0> }`, "4xf32", "4xf32"},
		{`transpose"(%arg0) { permutation = array<i64: 0, 0> }`, "2x2xf32", "2x2xf32"},
		{`broadcast_in_dim"(%arg0) { broadcast_dimensions = array<i64: 0> }`, "2xf32", "3x2xf32"},
		{`reshape"(%arg0)`, "2xf32", "3xf32"},
		{`iota"() { iota_dimension = 1 : i64 }`, "", "2xf32"},
		{`concatenate"(%arg0) { dimension = 1 : i64 }`, "2xf32", "2xf32"},
		{`not"(%arg0)`, "2xf32", "2xf32"},
		{`exponential"(%arg0)`, "2xi32", "2xi32"},
		{`sqrt"(%arg0) { dimension = 1 : i64 }`, "2xf32", "2xf32"},
		{`constant"()`, "", "2xf32"},
		{`reduce"(%arg0, %arg1) ` + sumRegion + ` { dimensions = array<i64: 1> }`, "2xf32; f32", "2xf32"},
		{`reduce"(%arg0, %arg1) ` + sumRegion + ` { dimensions = array<i64: 0> }`, "2xf64; f64", "f64"},
		{
			`compare"(%arg0, %arg1) { comparison_direction = #stablehlo<comparison_direction LT>,
 compare_type = #stablehlo<comparison_type SIGNED> }`,
			"2xf32; 2xf32", "2xi1",
		},
		{
			`gather"(%arg0, %arg1) { dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
 start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3> }`,
			"3x2xf32; 4xi32", "4x3xf32",
		},
	} {
		text := fmt.Sprintf("%%r = \"stablehlo.%s : (%s) -> tensor<%s>\n\"stablehlo.return\"(%%r) : (tensor<%s>) -> ()",
			c.operation, tensors(c.in), c.out, c.out)
		if _, err := Parse(program(c.in, c.out, text)); err == nil {
			t.Errorf("%s is accepted", c.operation)
		} else if !strings.Contains(err.Error(), strings.SplitN(c.operation, `"`, 2)[0]) {
			t.Errorf("%s: %v does not name the operation", c.operation, err)
		}
	}
}

// Whatever the text, reading it ends with a program or an error.
func FuzzParse(f *testing.F) {
	f.Add(program("2xf32; 2xf32", "2xf32", dotOp))
	f.Add(program("", "2xi32", argRegion))
	f.Fuzz(func(_ *testing.T, text string) { _, _ = Parse(text) })
}

// Cut off or garbled programs are errors, not panics.
func TestGarbledPrograms(t *testing.T) {
	text := program("7x2x3xf32; 2x45x7xf32", "2x3x45xf32", replaced(dotOp, "ALGORITHM", ""))
	must.M1(Parse(text))
	r := rand.New(rand.NewPCG(3, 4))
	tokens := strings.Fields(text)
	for range 3000 {
		garbled := slices.Clone(tokens)
		for range 1 + r.IntN(3) {
			i, j := r.IntN(len(garbled)), r.IntN(len(garbled))
			garbled[i], garbled[j] = garbled[j], garbled[i]
		}
		_, _ = Parse(strings.Join(garbled[:1+r.IntN(len(garbled))], " "))
	}
}
