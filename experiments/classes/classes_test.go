package classes

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/safetensors"
	"github.com/gfncp/gfncp/internal/short"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/train"
)

var halves = []string{data.SplitTrain, data.SplitTest}

// The halves of each part are five classes and the other five; the numbers of split 1 are part of the data.
func TestHalves(t *testing.T) {
	for split := 1; split <= Splits; split++ {
		for _, part := range parts {
			trained, tested := half(split, part, data.SplitTrain), half(split, part, data.SplitTest)
			both := slices.Sorted(slices.Values(slices.Concat(trained, tested)))
			if len(trained) != 5 || !slices.Equal(both, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
				t.Errorf("split %d of %s: %v and %v", split, part, trained, tested)
			}
		}
	}
	digits, clothes := half(1, parts[0], data.SplitTrain), half(1, parts[1], data.SplitTrain)
	if !slices.Equal(digits, []int32{0, 4, 5, 6, 7}) || !slices.Equal(clothes, []int32{2, 3, 4, 6, 7}) {
		t.Errorf("split 1 trains on %v and %v", digits, clothes)
	}
}

// Of a pool whose images tell their class, the named classes alone are taken, and numbered on.
func TestAdd(t *testing.T) {
	pool := &data.Pool{Name: "pool", D: 2, Height: 1, Width: 2, Classes: []string{"a", "b", "c", "d"}}
	for i := range int32(40) {
		pool.X = append(pool.X, float32(i%4), float32(i))
		pool.Labels = append(pool.Labels, i%4)
	}
	all := &data.Pool{Name: "all", Height: 1, Width: 2}
	add(all, pool, []int32{3})
	add(all, pool, []int32{0, 2})
	must.M(all.Check())
	if all.Len() != 30 || !slices.Equal(all.Classes, []string{"d", "a", "c"}) {
		t.Errorf("%d images of %v", all.Len(), all.Classes)
	}
	for i, label := range all.Labels {
		if want := float32([]int{3, 0, 2}[label]); all.Point(i)[0] != want {
			t.Errorf("image %d, labelled %d, is of class %v, not %v", i, label, all.Point(i)[0], want)
		}
	}
}

// The sources are known to configurations, and no file of theirs is asked for but those of MNIST and Fashion-MNIST.
func TestSources(t *testing.T) {
	t.Setenv(sources.DirEnv, t.TempDir())
	for split := 1; split <= Splits; split++ {
		for _, name := range []string{Name(split), ImagesName(split)} {
			c := train.DefaultOn(train.GFNCP, name)
			must.M(c.Validate())
			if _, err := sources.PoolOf(c.Data); !errors.Is(err, sources.ErrMissing) {
				t.Errorf("%s without files: %v", name, err)
			}
			files := must.M1(sources.Verify(name, ""))
			if len(files) != 8 || files[0].State != sources.Missing {
				t.Errorf("%s is made of %+v", name, files)
			}
		}
	}
	err := sources.Fetch(t.Context(), Name(1), sources.FetchOptions{Dir: t.TempDir(), Offline: true})
	if !errors.Is(err, sources.ErrMissing) || !strings.Contains(err.Error(), "gfncp data fetch mnist") {
		t.Errorf("to fetch %s, offline: %v", Name(1), err)
	}
	if c := train.DefaultOn(train.NCP, "classes1"); c.Data.NMax != nMax || c.Net.Dim != Dim || !c.Data.IsVectors() {
		t.Errorf("the default of features is %s", c)
	}
}

// pool reads a half, where the data is at hand.
func pool(t *testing.T, source, which string) *data.Pool {
	t.Helper()
	c := data.Default(source)
	c.Split = which
	p, err := sources.PoolOf(c)
	if errors.Is(err, sources.ErrMissing) {
		t.Skip("set GFNCP_DATA to a folder with MNIST and Fashion-MNIST to run this test")
	}
	return must.M1(p, err)
}

// Each image of a half is, in the order of the files, the next one of the half's classes, training images in the
// training half and test images in the other; no class is in both.
func TestImages(t *testing.T) {
	short.Skip(t, "reads whole data sets")
	for _, which := range halves {
		images, at := pool(t, ImagesName(1), which), 0
		for p, part := range parts {
			classes, from := half(1, part, which), must.M1(sources.Load("", part, which))
			for i, label := range from.Labels {
				k := slices.Index(classes, label)
				if k < 0 {
					continue
				}
				if int(images.Labels[at]) != p*perPart+k || !slices.Equal(images.Point(at), from.Point(i)) {
					t.Fatalf("%s: image %d is not image %d of %s", images.Name, at, i, from.Name)
				}
				at++
			}
		}
		if at != images.Len() || len(images.Classes) != 2*perPart {
			t.Errorf("%s: %d of %d images, %d classes", images.Name, at, images.Len(), len(images.Classes))
		}
	}
	trained, tested := pool(t, ImagesName(1), data.SplitTrain), pool(t, ImagesName(1), data.SplitTest)
	for _, class := range trained.Classes {
		if slices.Contains(tested.Classes, class) {
			t.Errorf("%s is in both halves", class)
		}
	}
}

//go:embed encoder.toml
var recipe []byte

// The encoder of each split was trained by encoder.toml, from scratch and without labels, on the images of the split's
// training half, and on nothing else.
func TestShipped(t *testing.T) {
	want := must.M1(train.ParseConfig("encoder.toml", recipe, train.Default(train.NCP)))
	for split := 1; split <= Splits; split++ {
		must.M1(Shipped(split))
		config, card := origin(must.M1(shipped.ReadFile("encoders/" + Name(split) + ".safetensors")))
		want.Data.Source = ImagesName(split)
		got := must.M1(train.ParseConfig(Name(split), []byte(config), train.Default(train.NCP)))
		if got != want {
			t.Errorf("the encoder of %s was trained by\n%s\nwant\n%s", Name(split), got, want)
		}
		if got.Data.Split != data.SplitTrain || got.Data.Mode != data.ModeInstance || got.Train.Init != "" {
			t.Errorf("the encoder of %s has seen more than the images of its half: %s", Name(split), got)
		}
		if card.Name != Name(split) || card.Steps < 1 || card.Seconds <= 0 || card.Machine == "" {
			t.Errorf("the card of %s is %+v", Name(split), card)
		}
	}
	if _, err := Shipped(Splits + 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an encoder of split %d: %v", Splits+1, err)
	}
}

// origin returns the config and the card in a file of an encoder.
func origin(content []byte) (config string, card train.Card) {
	about := must.M1(safetensors.Decode(content)).Metadata
	must.M(json.Unmarshal([]byte(about["gfncp.card"]), &card))
	return about["gfncp.config"], card
}

// drawn is a model of images with drawn weights.
func drawn(t *testing.T) *train.Model {
	t.Helper()
	c := must.M1(train.ParseConfig("encoder.toml", recipe, train.Default(train.NCP)))
	return &train.Model{
		Config: c, Params: c.Layout().Init(rand.New(rand.NewPCG(1, 2))), Card: train.Card{Name: "drawn", Steps: 3},
	}
}

// pixels are random images.
func pixels(images int) []float32 {
	rng, x := rand.New(rand.NewPCG(3, 4)), make([]float32, images*data.ImageSide*data.ImageSide)
	for i := range x {
		x[i] = rng.Float32()
	}
	return x
}

// An encoder is written and read with the same bytes, and its weights are those of h.
func TestEncoderFile(t *testing.T) {
	m := drawn(t)
	e, path := must.M1(EncoderOf(m)), filepath.Join(t.TempDir(), "e.safetensors")
	must.M(e.Write(path, m))
	read := must.M1(decode(must.M1(os.ReadFile(path))))
	config, card := origin(must.M1(os.ReadFile(path)))
	if config != m.Config.String() || card.Steps != 3 || models.Params(read).SHA256() != models.Params(e).SHA256() {
		t.Errorf("read as %+v of %s", card, config)
	}
	for _, p := range read {
		at := slices.IndexFunc(m.Params, func(of models.Param) bool { return of.Name == p.Name })
		if !slices.Equal(p.Data, m.Params[at].Data) {
			t.Errorf("%s is not the model's", p.Name)
		}
	}
	if _, err := decode(must.M1(os.ReadFile(path))[:1000]); err == nil {
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
	m, x := drawn(t), pixels(atOnce+3)
	e := must.M1(EncoderOf(m))
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
	want, _, err := must.M1(m.Network(backend)).Encode(context.Background(), image, 1)
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
	e, x := must.M1(EncoderOf(drawn(t))), pixels(20)
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
	short.Skip(t, "reads a whole data set")
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
