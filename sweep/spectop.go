package sweep

import (
	"errors"
	"slices"
	"strings"

	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/usererr"
)

func (s *Spec) addTop(e entry) (err error) {
	switch e.Key {
	case "name":
		err = read(e, &s.Name)
	case "title":
		err = read(e, &s.Title)
	case "question":
		err = read(e, &s.Question)
	case "metric":
		if err = read(e, &s.Metric); err == nil {
			err = checkMetric(s.Metric, true)
		}
	case "budget":
		err = readDuration(e, &s.Budget)
	case "metrics":
		for _, v := range list(e) {
			var name string
			if err := errors.Join(read(entry{Key: e.Key, Value: v}, &name), checkMetric(name, false)); err != nil {
				return err
			}
			if slices.Contains(s.Metrics, name) {
				return usererr.New("keep one of them", "metrics has %q twice", name)
			}
			s.Metrics = append(s.Metrics, name)
		}
		if len(s.Metrics) == 0 {
			err = usererr.New(`write for example metrics = ["NMI", "ARI"]`, "metrics is empty, or no list")
		}
	case "seeds":
		for _, v := range list(e) {
			seed, ok := v.(int64)
			if !ok || seed < 1 || slices.Contains(s.Seeds, uint64(seed)) {
				return usererr.New("write for example seeds = [1, 2, 3]", "seed %v is no whole number from 1 on, or comes twice", v)
			}
			s.Seeds = append(s.Seeds, uint64(seed))
		}
		if len(s.Seeds) == 0 {
			err = usererr.New("write for example seeds = [1, 2, 3]", "seeds is empty, or no list")
		}
	default:
		top := []string{"name", "title", "question", "seeds", "metric", "metrics", "budget"}
		hint := "a sweep file has the keys " + strings.Join(top, ", ") + ", [base], [set], [grid] and [[list]]"
		err = unknownKey(e.Key, usererr.DidYouMean(e.Key, top, hint))
	}
	return err
}

// read puts a text value where it belongs.
func read(e entry, to *string) error {
	text, ok := e.Value.(string)
	if !ok || strings.TrimSpace(text) == "" {
		return usererr.New("write it in quotes", "%s = %v is no text", e.Key, e.Value)
	}
	*to = text
	return nil
}

// list returns the elements of a list, none for anything else.
func list(e entry) []any {
	values, _ := e.Value.([]any)
	return values
}

// checkMetric reports a metric that no evaluation has, or that cannot say which setting is the better one.
func checkMetric(name string, decides bool) error {
	m, err := evaluation.FindMetric(name)
	switch {
	case err != nil:
		return err
	case decides && m.Better == 0:
		return usererr.New("compare by another one, and show it in metrics", "a larger %q is neither better nor worse", name)
	}
	return nil
}
