package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// GewekeZ returns the z-score of Geweke's joint distribution test of a posterior sampler (Geweke 2004) for one test
// function of parameters and data:
//
//	z = (mean(independent) − mean(chain)) / √(se(independent)² + se(chain)²)
//
// independent holds the function over the marginal-conditional simulator: parameters from the prior, then data from the
// model. chain holds it over the successive-conditional simulator: from one such pair on, in turn a step of the sampler
// given the data, and new data given the parameters. Both have the same joint law if prior, model and sampler agree, and
// z is then about standard normal; a fault in any of the three drives |z| up with the number of draws. Use several test
// functions, second moments among them.
//
// The standard error of independent is that of a mean of independent draws; chain's is that of MonteCarloError. z is 0
// if neither varies and the means are equal, infinite if they are not. It returns ErrTooFew if independent has fewer
// than 2 values or chain fewer than 4, ErrNotFinite for NaN or infinite values.
func GewekeZ(independent, chain []float64) (float64, error) {
	if len(independent) < 2 {
		return 0, fmt.Errorf("joint distribution test of %d independent draws, need 2: %w", len(independent), ErrTooFew)
	}
	if err := allFinite(independent); err != nil {
		return 0, fmt.Errorf("joint distribution test, independent draws: %w", err)
	}
	se, err := MonteCarloError(chain)
	if err != nil {
		return 0, fmt.Errorf("joint distribution test, chain: %w", err)
	}
	mean, variance := stat.MeanVariance(independent, nil)
	diff := mean - stat.Mean(chain, nil)
	if diff == 0 {
		return 0, nil
	}
	return diff / math.Sqrt(variance/float64(len(independent))+se*se), nil
}

// MonteCarloError returns the standard error of the mean of a stationary, autocorrelated chain [M] by batch means: the
// sample standard deviation of the means of ⌊√M⌋ consecutive batches of equal length, over the root of their number
// (Flegal & Jones 2010). What does not fill a batch is left out at the start. A batch must be long against the
// autocorrelation time. It returns ErrTooFew if M < 4, ErrNotFinite for NaN or infinite values.
func MonteCarloError(chain []float64) (float64, error) {
	if len(chain) < 4 {
		return 0, fmt.Errorf("batch means of %d values, need 4: %w", len(chain), ErrTooFew)
	}
	if err := allFinite(chain); err != nil {
		return 0, err
	}
	batches := int(math.Sqrt(float64(len(chain))))
	length := len(chain) / batches
	chain = chain[len(chain)-batches*length:]
	means := make([]float64, batches)
	for b := range means {
		means[b] = stat.Mean(chain[b*length:(b+1)*length], nil)
	}
	return stat.StdDev(means, nil) / math.Sqrt(float64(batches)), nil
}

func allFinite(values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d is %v: %w", i, v, ErrNotFinite)
		}
	}
	return nil
}
