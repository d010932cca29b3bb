package posterior

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// A law comes back from its file as it was, to the last bit.
func TestLawsInFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(175, 176))
	for _, law := range []Likelihood{
		randomNIW(rng, 3), randomDiagonal(rng, 3), Gaussian{Dim: 2, Tau: 3.1, Sigma: 0.7},
	} {
		text := must[[]byte](t)(EncodeLaw(law))
		if back := must[Likelihood](t)(DecodeLaw(text)); !reflect.DeepEqual(back, law) {
			t.Errorf("%+v came back as %+v", law, back)
		}
	}
	if _, err := EncodeLaw(nil); err == nil {
		t.Error("no law was written")
	}
	for text, want := range map[string]string{
		"[":                                   "read a likelihood",
		`{"kind": "cauchy"}`:                  "unknown kind, cauchy",
		`{"kind": "niw"}`:                     "in 0 dimensions",
		`{"kind": "niw", "mean": [1]}`:        "0 entries of psi",
		`{"kind": "gaussian", "dim": 2}`:      "sigma",
		`{"kind": "diagonal", "mean": [1]}`:   "psi",
		`{"kind":"niw","mean":[1],"psi":[1]}`: "kappa",
	} {
		if _, err := DecodeLaw([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
