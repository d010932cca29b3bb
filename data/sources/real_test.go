package sources

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/stat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/short"
)

// The first labels and the numbers of images are those of the data sets' pages. The means are the usual normalisation
// constants: 0.1307 in PyTorch's MNIST example (examples/mnist/main.py), 0.2860 for Fashion-MNIST.
func TestPublished(t *testing.T) {
	short.Skip(t, "reads whole data sets")
	if os.Getenv(DirEnv) == "" {
		t.Skip("set GFNCP_DATA to a folder with MNIST and Fashion-MNIST to run this test")
	}
	for _, test := range []struct {
		name  string
		first int32
		class string
		mean  float64
	}{
		{"mnist", 5, "5", 0.1307},
		{"fashion-mnist", 9, "Ankle boot", 0.2860},
	} {
		train := must.M1(Load("", test.name, data.SplitTrain))
		if train.Len() != 60000 || train.Height != 28 || train.Width != 28 ||
			train.Labels[0] != test.first || train.Classes[train.Labels[0]] != test.class {
			t.Errorf("%s: %d images of %d×%d, the first a %d", train.Name,
				train.Len(), train.Height, train.Width, train.Labels[0])
		}
		if mean := stat.Mean(data.Float64s(train.X), nil); math.Abs(mean-test.mean) > 0.5e-4 {
			t.Errorf("%s: mean pixel %v, want %v", train.Name, mean, test.mean)
		}
		if p, err := Load("", test.name, data.SplitTest); err != nil || p.Len() != 10000 {
			t.Errorf("%s: %v", test.name, err)
		}
		valid := must.M1(Load("", test.name, data.SplitValid))
		if valid.Len() != 10000 || !slices.Equal(valid.Point(9999), train.Point(59999)) ||
			!slices.Equal(valid.Labels, train.Labels[50000:]) {
			t.Errorf("%s: the validation split is not the end of the training split", test.name)
		}
	}
}
