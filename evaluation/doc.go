// Package evaluation says how good a trained model is on held-out sets: agreement with the true clusters (Quality, the list of
// metrics), dependence on the order of the data (SDPP), the score of its most probable samples, the distance of its probabilities
// from the true posterior (Exactness), the guarantees that it keeps (Properties), and tests of its posterior against the law of
// its training data (Check).
//
// All draw the same sets for the same Test. The package knows neither tables, run directories nor flags.
package evaluation
