package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		line := 0
		if fault, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = fault.Position()
		}
		return nil, usererr.File(path, line, "mend this line", "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	r := reader{values: values, items: map[string]int{}}
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		r.expression(r.parser.Expression())
	}
	if err := r.parser.Error(); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return r.entries, nil
}

// reader walks the expressions of a document for their order and lines; values are looked up in what was decoded.
type reader struct {
	parser  unstable.Parser
	values  map[string]any
	items   map[string]int // headers of each array of tables so far
	prefix  []string       // of the table that the walk is in
	entries []entry
}

func (r *reader) expression(node *unstable.Node) {
	switch node.Kind {
	case unstable.Table, unstable.ArrayTable:
		words, line := r.key(node)
		if node.Kind == unstable.ArrayTable {
			r.items[words[0]]++
		}
		n := r.items[words[0]]
		if len(words) == 1 {
			r.entries = append(r.entries, entry{Table: words[0], Item: n - 1, Line: line})
		}
		if n > 0 { // it, or a table within its last item
			words = slices.Insert(words, 1, strconv.Itoa(n-1))
		}
		r.prefix = words
	case unstable.KeyValue:
		r.keyValue(r.prefix, node)
	}
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
	path := slices.Concat(prefix, words)
	if value := node.Value(); value.Kind == unstable.InlineTable {
		for it := value.Children(); it.Next(); {
			r.keyValue(path, it.Node())
		}
		return
	}
	e := entry{Value: lookup(r.values, path), Item: -1, Line: line}
	if len(path) > 1 {
		e.Table, path = path[0], path[1:]
	}
	if r.items[e.Table] > 0 {
		e.Item, path = r.items[e.Table]-1, path[1:]
	}
	e.Key = strings.Join(path, ".")
	r.entries = append(r.entries, e)
}

// lookup follows a path of keys, and of places in arrays, through a decoded document.
func lookup(v any, path []string) any {
	for _, word := range path {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[word]
		case []any:
			i, err := strconv.Atoi(word)
			if err != nil || i < 0 || i >= len(inner) {
				return nil
			}
			v = inner[i]
		default:
			return nil
		}
	}
	return v
}
