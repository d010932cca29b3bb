package tabular

import (
	"slices"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Choose decides as Parse does for a text table with the same header and options, and names no line.
func TestChoose(t *testing.T) {
	names := []string{"x", "class", "7", "y"}
	for _, opts := range []Options{{}, {LabelColumn: " y "}, {Columns: []string{"4", "7"}}, {Columns: []string{"class"}, Header: "no"}} {
		coords, label, warnings, err := Choose("t", names, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Header = "yes"
		lay, err := newLayout("t", 1, names, trimmed(opts))
		if err != nil || !slices.Equal(coords, lay.coords) || label != lay.label || !slices.Equal(warnings, lay.warnings) {
			t.Errorf("%+v: coordinates %v, label %d, warnings %q; want %+v", opts, coords, label, warnings, lay)
		}
	}
	_, _, _, err := Choose("t.parquet", names, Options{LabelColumn: "z"})
	if want := `t.parquet: no column is named "z"; use one of "x", "class", "7", "y" in --labels`; err == nil || err.Error() != want || !usererr.Is(err) {
		t.Errorf("got %v, want %s", err, want)
	}
	if !IsLabelName("y_true") || IsLabelName("y") {
		t.Error("other names mark a label column than Options says")
	}
}
