package files

import "strings"

// classList numbers texts in order of first appearance, as the labels of a table.
type classList struct {
	index   map[string]int32
	labels  []int32  // [M] the number of each text
	classes []string // [K] the different texts
}

// add appends a text.
func (l *classList) add(text string) {
	label, known := l.index[text]
	if !known {
		if l.index == nil {
			l.index = map[string]int32{}
		}
		text = strings.Clone(text) // it may be part of a longer one
		label = int32(len(l.classes))
		l.index[text] = label
		l.classes = append(l.classes, text)
	}
	l.labels = append(l.labels, label)
}
