package serving

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	root "github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/short"
	_ "github.com/gfncp/gfncp/pretrained"
)

// client speaks to a server over pipes.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
	sent int // requests
}

func start(t *testing.T, ctx context.Context) *client {
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	c := &client{t: t, in: in, out: bufio.NewReader(out), done: make(chan error, 1)}
	go func() {
		o := Options{Version: "test", Backend: "go"}
		c.done <- Serve(ctx, requests, answers, o)
		_ = requests.Close()
		_ = answers.Close()
	}()
	t.Cleanup(func() { _ = in.Close() })
	return c
}

// reply is an answer as a client reads it.
type reply struct {
	ID     int
	OK     bool
	Error  fault
	Result map[string]any
	Arrays map[string]array
}

// send writes a request of these fields after its id, and reads its answer, which has the same id.
func (c *client) send(fields string) (r reply) {
	c.t.Helper()
	c.sent++
	if r = c.sendLine(fmt.Sprintf(`{"id":%d,%s`, c.sent, strings.TrimPrefix(fields, "{"))); r.ID != c.sent {
		c.t.Fatalf("the answer to request %d has the id %d: %+v", c.sent, r.ID, r.Error)
	}
	return r
}

func (c *client) sendLine(line string) reply {
	c.t.Helper()
	must.M1(c.in.Write([]byte(line + "\n")))
	return c.read()
}

// read reads an answer, and passes over empty lines.
func (c *client) read() (r reply) {
	c.t.Helper()
	line := "\n"
	for line == "\n" {
		line = must.M1(c.out.ReadString('\n'))
	}
	must.M(json.Unmarshal([]byte(line), &r))
	return r
}

// labels are those of the answer.
func (r reply) labels(t *testing.T) []int32 {
	t.Helper()
	values := r.Arrays["labels"].Data
	if values == nil {
		t.Fatalf("no labels in %+v", r)
	}
	labels := make([]int32, len(values)/4)
	must.M1(binary.Decode(values, binary.LittleEndian, labels))
	return labels
}

// arraysOf are the fields of numbers as the arrays of a request, each with its shape.
func arraysOf(name, dtype string, numbers any, shape ...int) string {
	data := must.M1(binary.Append(nil, binary.LittleEndian, numbers))
	return string(must.M1(json.Marshal(map[string]array{name: {dtype, shape, data}})))
}

// set is a training set of n points in the plane, as float64 [n,2].
func set(n int) []float64 {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.Stream = 1, n, n, "test"
	return data.Float64s(must.M1(must.M1(data.NewMoG(c)).Batch(3, 0)).X)
}

// clusterLine asks for the clusters of float64 [n,d], by a model and with options.
func clusterLine(x []float64, d int, model, options string) string {
	return fmt.Sprintf(`{"op":"cluster","model":%q,"options":%s,"arrays":%s}`,
		model, options, arraysOf("x", "<f8", x, len(x)/d, d))
}

// predictLine asks where float64 [n,2] belong among the clusters of an answer.
func predictLine(x []float64, clustered reply, options string) string {
	arrays := map[string]array{"fitted": clustered.Arrays["fitted"]}
	must.M(json.Unmarshal([]byte(arraysOf("x", "<f8", x, len(x)/2, 2)), &arrays))
	return fmt.Sprintf(`{"op":"predict","options":%s,"arrays":%s}`, options, must.M1(json.Marshal(arrays)))
}

// corners are n points in turn beside three corners of a large triangle, as float64 [n,2].
func corners(n int) (x []float64) {
	rng := data.Rand(1, "serving/corners", 0)
	for i := range n {
		x = append(x, float64(i%3*40)+rng.NormFloat64(), float64(i%3%2*40)+rng.NormFloat64())
	}
	return x
}

// What the server finds is what the library finds, to the last digit: with a network, and without a model by the
// mixture, also given what is known of a table's clusters. So are its predictions by that.
func TestClusterAndPredict(t *testing.T) {
	c := start(t, t.Context())
	for _, asked := range []struct {
		x              []float64
		model, options string
		known          root.Known
	}{
		{set(30), "mog-gfncp-free", `{"samples":20}`, root.Known{}},
		{corners(24), root.MixtureModel, `{"samples":20}`, root.Known{}},
		{
			corners(24), "auto", `{"samples":20,"least":2,"most":2,"together":[[0,1]]}`,
			root.Known{Least: 2, Most: 2, Together: [][2]int{{0, 1}}},
		},
	} {
		o, n := root.DefaultOptions(), len(asked.x)/2
		o.Samples, o.Model, o.Backend, o.Known = 20, strings.TrimPrefix(asked.model, "auto"), "go", asked.known
		want := must.M1(root.Cluster(t.Context(), must.M1(root.NewPoints(asked.x, n)), o))
		got := c.send(clusterLine(asked.x, 2, asked.model, asked.options))
		if !got.OK || got.Result["model"] != want.Model || got.Result["log_prob"] != want.LogProb ||
			got.Result["k"] != float64(want.K) || fmt.Sprint(got.labels(t)) != fmt.Sprint(want.Labels) {
			t.Errorf("%s: the server has %v, %+v, want %v", asked.options, got.labels(t), got.Result, want.Labels)
		}
		placed := c.send(predictLine(asked.x[:6], got, `{"samples":20}`))
		p := must.M1(want.Predict(t.Context(), must.M1(root.NewPoints(asked.x[:6], 3)), o))
		if fmt.Sprint(placed.labels(t)) != fmt.Sprint(p.Labels) {
			t.Errorf("%s: predicted %v, want %v", asked.options, placed.labels(t), p.Labels)
		}
	}
}

// A far row is in no cluster, here and in a process that only has what was kept. Columns are found by their names.
func TestPredictFarRow(t *testing.T) {
	c := start(t, t.Context())
	got := c.send(clusterLine(corners(30), 2, "", `{"samples":20},"columns":["a","b"]`))
	fresh := []float64{0, 0, 40, 40, 80, 0, 4000, -4000}
	for _, c := range []*client{c, start(t, t.Context())} {
		placed := c.send(predictLine(fresh, got, `{}`))
		if fmt.Sprint(placed.labels(t)) != "[0 1 2 -1]" ||
			!strings.Contains(fmt.Sprint(placed.Result["warnings"]), "column a") {
			t.Errorf("predicted %v, %v, %+v", placed.labels(t), placed.Result, placed.Error)
		}
	}
	for fields, want := range map[string]string{
		`"columns":[" b","a"]`: "[0 2]", `"columns":["a","zz"]`: `no column "b"`, `"model":"x"`: "model has no effect",
	} {
		placed := c.send(predictLine([]float64{0, 0, 0, 80}, got, `{},`+fields))
		if !strings.Contains(placed.Error.Message, want) && fmt.Sprint(placed.labels(t)) != want {
			t.Errorf("%s: %+v, want %s", fields, placed, want)
		}
	}
}

// No line ends the server: each has an answer, and the next is understood.
func TestBadRequests(t *testing.T) {
	t.Cleanup(func() { must.M(memory.SetLimit("64GB")) })
	must.M(memory.SetLimit("100MB"))
	c := start(t, t.Context())
	of := func(dtype string, numbers any, shape ...int) string { // clusters such an array
		return `{"op":"cluster","arrays":` + arraysOf("x", dtype, numbers, shape...) + `}`
	}
	type badRequest struct{ line, want string }
	bad := []badRequest{
		{"nonsense", "cannot be read"},
		{"1 14 0", "cannot be read"},
		{"[1,2]", "cannot be read"},
		{`{"op":`, "cannot be read"},
		{strings.Repeat("x", 3<<20), "cannot be read"},
		{strings.Repeat("x", 30<<20), "a request of 32 MB"},
		{`{"op":"cluster","model":3}`, "cannot be read"},
		{`{"op":"cluster","arrays":{"x":{"data":"%"}}}`, "cannot be read"},
		{`{"op":"cluster","colums":["a"]}`, `unknown object member name "colums"`},
		{`{"op":"hello"} {}`, "after top-level value"},
		{`{"op":"clutser"}`, "did you mean cluster?"},
		{`{"op":"cluster"}`, "there are no points"},
		{of("<c8", []float64{1, 2}, 1, 1), `the dtype "<c8"`},
		{of("<i4", []int32{1, 2}, 1, 2), `the dtype "<i4"`},
		{of("<f8", []float64{1}, -1, -1), "the shape [-1 -1]"},
		{of("<f8", []float64{1}, 4611686018427387904, 8), "the shape"},
		{of("<f8", []float32{1}, 1, 1), "and 4 bytes"},
		{of("<f8", []float64{}, 0, 2), "the shape [0 2]"},
		{of("<f8", []float64{1, 2}, 2), "two axes"},
		{of("<f8", []float64{1, 2, 1, 2}, 2, 2), "all 2 columns are constant"},
		{`{"op":"predict","arrays":{"x":{"dtype":"<f8"}}}`, "no clustering to predict by"},
		{`{"op":"predict","arrays":{"fitted":{"data":"bm9uZQ=="}}}`, "is no saved clustering"},
	}
	x := `"arrays":` + arraysOf("x", "<f8", []float64{1, 2, 3, 4}, 2, 2)
	for fields, want := range map[string]string{
		`"columns":["a"]`:     "1 names of 2 columns",
		`"model":"none"`:      "none: is neither",
		`"model":"mnist-ncp"`: "28×28",
		`"model":"mog-st"`:    "mog-st",
		`"frame":"p.csv"`:     "the request has a frame and an array x; send one",
		`"categorical":["a"]`: "categorical has no effect on an array; leave it out",
		`"model":"mog-gfncp-free","options":{"time":3}`: "time has no effect on a network",
		`"options":3`:                                    "options:",
		`"options":{"smaples":3}`:                        `unknown object member name "smaples"`,
		`"options":{"refine":"none"}`:                    `unknown object member name "refine"`,
		`"options":{"samples":-3}`:                       "samples is -3",
		`"options":{"samples":0}`:                        "needs samples",
		`"options":{"time":-1}`:                          "time is -1s",
		`"options":{"scale":2}`:                          "a network's",
		`"options":{"scale":"big"}`:                      "within \"/scale\"",
		`"options":{"model":"x"}`:                        `unknown object member name "model"`,
		`"options":{"least":3}`:                          "3",
		`"options":{"given":[1]}`:                        "given",
		`"options":{"weights":[1,-1]}`:                   "weight",
		`"options":{"together":[[0,2]]}`:                 "rows are 0 to 1",
		`"options":{"apart":[[-1,1]]}`:                   "rows are 0 to 1",
		`"options":{"apart":[[0,1,0],[1]]}`:              "too many array elements",
		`"options":{"apart":[[0]]}`:                      "too few array elements",
		`"options":{"together":[[0,1.5]]}`:               "within \"/together/0/1\"",
		`"options":{"together":[[0,1]],"apart":[[1,0]]}`: "apart",
	} {
		bad = append(bad, badRequest{`{"op":"cluster",` + fields + `,` + x + `}`, want})
	}
	for _, test := range bad {
		got := c.sendLine(test.line)
		if got.OK || !strings.Contains(got.Error.Message, test.want) || got.Error.Kind != "input" {
			t.Errorf("%.80s: %+v, want %s", test.line, got, test.want)
		}
		must.M1(c.in.Write([]byte("\n\r\n")))
		if alive := c.send(`{"op":"hello"}`); !alive.OK {
			t.Fatalf("after %.80s: %+v", test.line, alive)
		}
	}
	must.M(c.in.Close())
	if err := <-c.done; err != nil {
		t.Errorf("at the end of its input it says %v", err)
	}
}

// A request about a data frame says which columns are read; the process's own input is refused.
func TestFrame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	rows := strings.Repeat("\"0\",\"a;b\"\n\"5\",\"c;d\"\n", 10)
	must.M(os.WriteFile(path, []byte("\"1\",\"a;b\"\n"+rows+"\"\",\"\"\n"), 0o600))
	c := start(t, t.Context())
	for fields, want := range map[string]string{
		`"columns":null`:   "[1 a;b]",
		`"columns":["1"]`:  "[1]",
		`"columns":["zz"]`: `no column is named "zz"`,
	} {
		const request = `{"op":"cluster","frame":%q,"options":{"samples":5},%s}`
		got := c.send(fmt.Sprintf(request, path, fields))
		var names []any
		columns, _ := got.Result["columns"].([]any)
		for _, column := range columns {
			names = append(names, column.(map[string]any)["name"])
		}
		if fmt.Sprint(names) != want && !strings.Contains(got.Error.Message, want) {
			t.Errorf("%s: %v, %+v, want %s", fields, names, got.Error, want)
		}
		if got.OK && len(got.labels(t)) != 21 {
			t.Errorf("%s: labels %v of 21 rows", fields, got.labels(t))
		}
	}
	got := c.send(`{"op":"cluster","frame":"-"}`)
	if got.OK || !strings.Contains(got.Error.Message, "is the standard input") {
		t.Errorf("%+v", got)
	}
}

// Of 1,000 requests at fault in random order, each has an answer, and each good request after it the right one.
func TestPoison(t *testing.T) {
	short.Skip(t, "sends 2,000 requests")
	c := start(t, t.Context())
	fitted := c.send(clusterLine(corners(12), 2, "", `{"samples":5}`))
	good := predictLine(corners(12), fitted, `{"samples":5}`)
	want := fmt.Sprint(c.send(good).labels(t))
	rng := data.Rand(1, "serving/poison", 0)
	for range 1000 {
		line := []byte(good)
		switch rng.IntN(3) {
		case 0: // another byte, but no end of the line
			line[rng.IntN(len(line))] = '\v' + byte(rng.IntN(245))
		case 1: // an end that is missing
			line = line[:1+rng.IntN(len(line)-1)]
		default: // a value of another type
			line = bytes.Replace(line, []byte(`"samples":5`), []byte(`"samples":"5"`), 1)
		}
		c.sendLine(string(line))
		if got := c.send(good); !got.OK || fmt.Sprint(got.labels(t)) != want {
			t.Fatalf("after %.99q: %+v, want the labels %s", line, got, want)
		}
	}
}

// A model file that has other weights is opened again; else the open model answers.
func TestChangedModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	s := &server{Options: Options{Backend: "go"}, models: map[string]*root.Model{}}
	var opened []*root.Model
	for _, name := range []string{"mog-ncp", "mog-ncp", "mog-gfncp"} {
		must.M(os.WriteFile(path, must.M1(os.ReadFile("../pretrained/weights/"+name+".safetensors")), 0o644))
		opened = append(opened, must.M1(s.open(path)))
	}
	defer opened[2].Close()
	if opened[0] != opened[1] || opened[1] == opened[2] || opened[1].Weights() == opened[2].Weights() {
		t.Error("another model answers than the file holds")
	}
}

// A panic is an answer.
func TestPanic(t *testing.T) {
	s := &server{} // its map of models takes none
	a := s.answer(t.Context(), &request{Op: "cluster", Model: "mog-ncp"})
	if a.OK || a.Error.Kind != "internal" || !strings.Contains(a.Error.Message, "nil map") {
		t.Errorf("%+v", a)
	}
}

// FuzzRequest: any bytes are requests with or without a fault, up to their end.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"id":1,"op":"cluster","arrays":{"x":{"dtype":"<f4","shape":[1,2],"data":"MTIzNDU2Nzg="}}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		in := bufio.NewReader(bytes.NewReader(text))
		for {
			r, err := readRequest(in)
			if errors.Is(err, io.EOF) {
				return
			}
			must.M(err)
			if x, n, d, err := r.matrix(); err == nil && (n < 1 || len(x) != n*d) {
				t.Fatalf("%d numbers of %d points in %d dimensions", len(x), n, d)
			}
		}
	})
}
