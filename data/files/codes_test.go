package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/data/tabular"
)

// Few whole numbers in a column that has a code's name are categories, unless the user chooses the column; amounts,
// fractions, many codes and other names are numbers.
func TestCodes(t *testing.T) {
	read := func(header string, o Options, cell func(i int) string) tabular.Kind {
		var text strings.Builder
		text.WriteString("x," + header + "\n")
		for i := range 40 {
			fmt.Fprintf(&text, "%d.5,%s\n", i*i%17, cell(i))
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		must.M(os.WriteFile(path, []byte(text.String()), 0o600))
		return must.M1(Read(path, o)).Table().Columns[1].Kind
	}
	few := func(i int) string { return fmt.Sprint(1000 + i%4) }
	for _, header := range []string{"store_id", "StoreID", "storeId", "order no", "ward_code"} {
		if kind := read(header, Options{}, few); kind != tabular.Category {
			t.Errorf("%s is %v", header, kind)
		}
	}
	for _, header := range []string{"stores", "paid", "grid", "valid"} {
		if kind := read(header, Options{}, few); kind != tabular.Number {
			t.Errorf("%s is %v", header, kind)
		}
	}
	if kind := read("store_id", Options{Columns: []string{"x", "store_id"}}, few); kind != tabular.Number {
		t.Errorf("a chosen column is %v", kind)
	}
	for name, cell := range map[string]func(i int) string{
		"fractions": func(i int) string { return fmt.Sprintf("%d.25", i%4) },
		"many":      func(i int) string { return fmt.Sprint(i % 20) },
	} {
		if kind := read("store_id", Options{}, cell); kind != tabular.Number {
			t.Errorf("%s are %v", name, kind)
		}
	}
}
