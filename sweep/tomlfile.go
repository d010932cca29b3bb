package sweep

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/gfncp/gfncp/train"
)

// sweepFile is a sweep file as go-toml decodes it. Its tables serve only to find faults; decode reads them key by key.
type sweepFile struct {
	Spec
	Base      struct{ Model, Data, Start string }
	Set, Grid map[string]any
	List      []map[string]any
}

// entry is a key of a sweep file, in the file's order, or the head of an entry of [[list]].
type entry struct {
	Table string // the first word of its path: "base", "grid", "seeds", …
	Item  int    // in [[list]] 0, 1, …; -1 before the first
	Key   string // the rest of its path, dotted; "" for a key at the top and for a head
	Value any    // string, int64, float64, bool or []any
	Line  int
}

// decode reads the text into s and returns its keys: dotted keys, quoted dotted keys and nested tables are the same.
// An inline table is a key without a single value.
func (s *Spec) decode() ([]entry, error) {
	file := sweepFile{Spec: *s}
	known := []string{"name", "title", "question", "seeds", "metrics", "base", "set", "grid", "list"}
	const hint = "a sweep file has name, title, question, seeds, metrics, [base] with model, data and start, " +
		"[set] and [grid] with keys of a training, and [[list]]"
	if err := train.DecodeTOML(s.Path, s.Text, &file, known, hint); err != nil {
		return nil, err
	}
	*s = file.Spec
	r := reader{item: -1, document: map[string]any{}}
	text := bytes.TrimPrefix(s.Text, []byte("\ufeff"))
	if err := toml.Unmarshal(text, &r.document); err != nil {
		return nil, err
	}
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		node := r.parser.Expression()
		words, line := r.key(node)
		if node.Kind == unstable.KeyValue {
			r.add(slices.Concat(r.table, words), line)
			continue
		}
		r.table = words
		if node.Kind == unstable.ArrayTable { // a nested one is a key without a single value
			if len(words) == 1 {
				r.item++
			}
			r.add(words, line)
		}
	}
	return r.entries, r.parser.Error()
}

// reader walks the expressions of a valid document.
type reader struct {
	parser   unstable.Parser
	document map[string]any
	table    []string // that the walk is in
	item     int      // of [[list]]
	entries  []entry
}

func (r *reader) key(node *unstable.Node) (words []string, line int) {
	for it := node.Key(); it.Next(); {
		words = append(words, string(it.Node().Data))
		line = r.parser.Shape(it.Node().Raw).Start.Line
	}
	return words, line
}

// add adds the key of a path with its value. Keys within nested arrays have no value; the arrays are faults before.
func (r *reader) add(path []string, line int) {
	value := r.document[path[0]]
	if items, ok := value.([]any); ok && len(path) > 1 {
		value = items[r.item]
	}
	for _, word := range path[1:] {
		table, _ := value.(map[string]any)
		value = table[word]
	}
	r.entries = append(r.entries, entry{path[0], r.item, strings.Join(path[1:], "."), value, line})
}
