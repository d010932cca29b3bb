package experiments

import "github.com/gfncp/gfncp/internal/usererr"

// Scale is how much work an experiment does; a result always carries it.
type Scale string

// The scales: seconds for a trial, two CPU cores within the hour, and the paper's exact settings.
const (
	Smoke Scale = "smoke"
	Small Scale = "small"
	Paper Scale = "paper"
)

// ParseScale reads a scale's name.
func ParseScale(name string) (Scale, error) {
	switch s := Scale(name); s {
	case Smoke, Small, Paper:
		return s, nil
	}
	return "", usererr.Unknown(name, []string{string(Smoke), string(Small), string(Paper)}, "scale %q is not known", name)
}

// Seeds is the default number of seeds.
func (s Scale) Seeds() int { return at(s, 1, 2, 3) }

// at chooses by the scale.
func at[V any](s Scale, smoke, small, paper V) V {
	return map[Scale]V{Smoke: smoke, Small: small, Paper: paper}[s]
}

// Training says which cells may be trained.
type Training string

// The choices: by default a cell is trained only if it has neither a finished run nor shipped weights.
const (
	TrainMissing Training = "missing"
	TrainAlways  Training = "always" // shipped weights are not used; finished runs are
	TrainNever   Training = "never"  // such a cell stays empty and says so
)

// ParseTraining reads a choice.
func ParseTraining(name string) (Training, error) {
	switch t := Training(name); t {
	case TrainMissing, TrainAlways, TrainNever:
		return t, nil
	}
	return "", usererr.Unknown(name, []string{string(TrainMissing), string(TrainAlways), string(TrainNever)},
		"--train %q is not known", name)
}
