package classes

import (
	_ "embed"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

//go:embed encoder.toml
var recipe []byte

// The encoder of each split was trained by encoder.toml, from scratch and without labels, on the images of the split's
// training half, and on nothing else.
func TestShipped(t *testing.T) {
	want := must.M1(train.ParseConfig("encoder.toml", recipe, train.Default(train.NCP)))
	for split := 1; split <= Splits; split++ {
		e := must.M1(Shipped(split))
		want.Data.Source = ImagesName(split)
		got := must.M1(train.ParseConfig(Name(split), []byte(e.Config), train.Default(train.NCP)))
		if got != want {
			t.Errorf("the encoder of %s was trained by\n%s\nwant\n%s", Name(split), got, want)
		}
		if got.Data.Split != data.SplitTrain || got.Data.Mode != data.ModeInstance || got.Train.Init != "" {
			t.Errorf("the encoder of %s has seen more than the images of its half: %s", Name(split), got)
		}
		if e.Card.Name != Name(split) || e.Card.Steps < 1 || e.Card.Seconds <= 0 || e.Card.Machine == "" {
			t.Errorf("the card of %s is %+v", Name(split), e.Card)
		}
	}
	if _, err := Shipped(Splits + 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an encoder of split %d: %v", Splits+1, err)
	}
}

// drawn is a model of images with drawn weights.
func drawn(t *testing.T) *train.Model {
	t.Helper()
	c := must.M1(train.ParseConfig("encoder.toml", recipe, train.Default(train.NCP)))
	return &train.Model{
		Config: c, Params: c.Layout().Init(rand.New(rand.NewPCG(1, 2))), Card: train.Card{Name: "drawn", Steps: 3},
	}
}

// An encoder is written and read with the same bytes, and its weights are those of h.
func TestEncoderFile(t *testing.T) {
	m := drawn(t)
	e, path := must.M1(EncoderOf(m)), filepath.Join(t.TempDir(), "e.safetensors")
	must.M(e.Write(path))
	read := must.M1(decode("drawn", must.M1(os.ReadFile(path))))
	if read.Config != m.Config.String() || read.Card.Steps != 3 || read.Params.SHA256() != e.Params.SHA256() {
		t.Errorf("read as %+v of %s", read.Card, read.Config)
	}
	for _, p := range read.Params {
		at := slices.IndexFunc(m.Params, func(of models.Param) bool { return of.Name == p.Name })
		if !slices.Equal(p.Data, m.Params[at].Data) {
			t.Errorf("%s is not the model's", p.Name)
		}
	}
	if _, err := decode("cut", must.M1(os.ReadFile(path))[:1000]); err == nil {
		t.Error("half a file was read")
	}
	vectors := train.Default(train.NCP)
	other := &train.Model{Config: vectors, Params: vectors.Layout().Init(rand.New(rand.NewPCG(1, 2)))}
	if _, err := EncoderOf(other); err == nil {
		t.Error("a model of vectors has an encoder of images")
	}
}

// An image's h is that of the network, and to the bit the same beside others and alone.
func TestEncode(t *testing.T) {
	m, rng := drawn(t), rand.New(rand.NewPCG(3, 4))
	e := must.M1(EncoderOf(m))
	x := make([]float32, (atOnce+3)*data.ImageSide*data.ImageSide)
	for i := range x {
		x[i] = rng.Float32()
	}
	h, last := must.M1(e.Encode(x)), len(x)-data.ImageSide*data.ImageSide
	alone := must.M1(e.Encode(x[last:]))
	if len(h) != (atOnce+3)*Dim || !slices.Equal(h[len(h)-Dim:], alone) || !slices.Equal(h, must.M1(e.Encode(x))) {
		t.Error("a feature depends on what is encoded beside it")
	}
	compareWithNetwork(t, m, x[last:], alone)
}

// compareWithNetwork holds h [Dim] of an image against what the whole network makes of it: h times the first layer of
// g.
func compareWithNetwork(t *testing.T, m *train.Model, image, h []float32) {
	t.Helper()
	for i, v := range image {
		image[i] = 2*v - 1
	}
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	defer backend.Finalize()
	want, _, err := must.M1(m.Network(backend)).Encode(image, 1)
	must.M(err)
	first := m.Params[slices.IndexFunc(m.Params, func(p models.Param) bool { return p.Name == "g.0.weight" })]
	for j, w := range want {
		sum := 0.0
		for i, v := range h {
			sum += float64(v) * float64(first.Data[i*len(want)+j])
		}
		if math.Abs(sum-float64(w)) > 1e-3 {
			t.Fatalf("number %d of h·g is %v, by the network %v", j, sum, w)
		}
	}
}

// A centred encoder gives the same up to a vector, with mean 0.
func TestCenter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	e := must.M1(EncoderOf(drawn(t)))
	x := make([]float32, 20*data.ImageSide*data.ImageSide)
	for i := range x {
		x[i] = rng.Float32()
	}
	before := must.M1(e.Encode(x))
	must.M(e.Center(x))
	after := must.M1(e.Encode(x))
	for j := range Dim {
		sum, shift := 0.0, after[j]-before[j]
		for i := j; i < len(after); i += Dim {
			sum += float64(after[i])
			if math.Abs(float64(after[i]-before[i]-shift)) > 1e-5 {
				t.Fatalf("coordinate %d moved by %v and by %v", j, shift, after[i]-before[i])
			}
		}
		if math.Abs(sum) > 1e-4 || shift == 0 {
			t.Errorf("coordinate %d has mean %v after a shift by %v", j, sum/20, shift)
		}
	}
}

// Features have length 1, and the labels and classes of the images.
func TestFeatures(t *testing.T) {
	p, images := pool(t, Name(1), data.SplitTest), pool(t, ImagesName(1), data.SplitTest)
	if p.D != Dim || p.Len() != images.Len() || !slices.Equal(p.Labels, images.Labels) ||
		!slices.Equal(p.Classes, images.Classes) {
		t.Errorf("%d features of %d numbers for %d images", p.Len(), p.D, images.Len())
	}
	sum := 0.0
	for _, v := range p.Point(17) {
		sum += float64(v) * float64(v)
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("a feature has length %v", math.Sqrt(sum))
	}
}
