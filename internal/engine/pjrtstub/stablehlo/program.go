package stablehlo

// Program is a module: its functions, of which "main" is run.
type Program struct {
	Name  string
	Funcs map[string]*Func
}

// Main is the function that an execution runs.
func (p *Program) Main() *Func { return p.Funcs["main"] }

// Func is a function: a region whose values are numbered 0 … Values−1, those of nested regions included.
type Func struct {
	Name    string
	Body    *Region
	Results []Type
	Values  int
}

// Params are the types of the arguments.
func (f *Func) Params() []Type { return f.Body.ParamTypes }

// Region is a list of operations with parameters; the last operation returns.
type Region struct {
	Params     []int // numbers of the values that the parameters are
	ParamTypes []Type
	Ops        []*Op
}

// returned are the types of what a region returns.
func (r *Region) returned() []Type { return r.Ops[len(r.Ops)-1].InTypes }

// Op is one operation.
type Op struct {
	Name     string // without "stablehlo."
	Line     int
	In, Out  []int // numbers of values
	InTypes  []Type
	OutTypes []Type
	Attrs    map[string]any // see attributes.go for what an attribute can be
	Regions  []*Region
	run      kernel
	dead     []int // values that nothing reads after this operation
}
