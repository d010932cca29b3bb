package sweep

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/gfncp/gfncp/internal/usererr"
)

// entry is one key of a TOML file with its value, in the file's order, or the head of a table, which has neither.
type entry struct {
	Table string // "" at the top, else the first word of its path: "base", "grid", …
	Item  int    // 0, 1, … within an array of tables, -1 within a table
	Key   string // the rest of its path, dotted; "" for the head of a table
	Value any    // string, int64, float64, bool or []any
	Line  int
}

// readEntries flattens a TOML document: dotted keys, quoted dotted keys and nested tables give the same entries. Arrays
// of tables may stand at the top only.
func readEntries(path string, text []byte) ([]entry, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := toml.Unmarshal(text, &map[string]any{}); err != nil {
		line := 0
		if fault, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = fault.Position()
		}
		return nil, usererr.File(path, line, "mend this line", "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	r := reader{items: map[string]int{}}
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		r.expression(r.parser.Expression())
	}
	return r.entries, r.parser.Error()
}

// reader walks the expressions of a valid document.
type reader struct {
	parser  unstable.Parser
	items   map[string]int // headers of each array of tables so far
	prefix  []string       // of the table that the walk is in
	entries []entry
}

func (r *reader) expression(node *unstable.Node) {
	if node.Kind == unstable.KeyValue {
		r.keyValue(r.prefix, node)
		return
	}
	words, line := r.key(node)
	table, array, nested := words[0], node.Kind == unstable.ArrayTable, len(words) > 1
	if array && !nested {
		r.items[table]++
	}
	if array || !nested { // a nested array is a key without a value
		r.entries = append(r.entries, entry{table, r.items[table] - 1, strings.Join(words[1:], "."), nil, line})
	}
	r.prefix = words
}

func (r *reader) key(node *unstable.Node) (words []string, line int) {
	for it := node.Key(); it.Next(); {
		words = append(words, string(it.Node().Data))
		line = r.parser.Shape(it.Node().Raw).Start.Line
	}
	return words, line
}

func (r *reader) keyValue(prefix []string, node *unstable.Node) {
	words, line := r.key(node)
	words = slices.Concat(prefix, words)
	if value := node.Value(); value.Kind == unstable.InlineTable {
		for it := value.Children(); it.Next(); {
			r.keyValue(words, it.Node())
		}
		return
	}
	e := entry{Value: valueOf(node.Value()), Line: line}
	if len(words) > 1 {
		e.Table, words = words[0], words[1:]
	}
	e.Item, e.Key = r.items[e.Table]-1, strings.Join(words, ".")
	r.entries = append(r.entries, e)
}

// valueOf is what a node of a valid document says; nil for a table within an array.
func valueOf(node *unstable.Node) any {
	switch node.Kind {
	case unstable.String:
		return string(node.Data)
	case unstable.Array:
		values := []any{}
		for it := node.Children(); it.Next(); {
			values = append(values, valueOf(it.Node()))
		}
		return values
	}
	document := map[string]any{}
	_ = toml.Unmarshal(append([]byte("value = "), node.Data...), &document)
	return document["value"]
}
