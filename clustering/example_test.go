package clustering_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/clustering"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// A network with its weights and the range it was trained on are all that is needed. Here the weights are random; take
// those of a model file with train.ReadModel: models.NewNetwork(backend, m.Config.Net, m.Params) and m.Config.Data.
func Example() {
	backend := must.M1(must.M1(engine.Choose("go")).Open())
	config := models.Config{Dim: 2, Hidden: 16, Embed: 8, Global: 24}
	net := must.M1(models.NewNetwork(backend, config, config.Init(rand.New(rand.NewPCG(1, 2)))))
	points := []float32{0, 0, 0.5, 0.1, 9, 9, 9.5, 8, 0.2, 0.3, 8.7, 9.1} // [6,2]
	result := must.M1(clustering.Cluster(context.Background(), net, data.DefaultMoG(),
		points, 6, 2, clustering.DefaultOptions()))
	fmt.Println(len(result.Labels), "labels,", len(result.Probabilities), "rows of probabilities")
	fmt.Println(result.Warnings[0])
	// Output:
	// 6 labels, 6 rows of probabilities
	// there are 6 points, but the model was trained on sets of 100 to 1000
}
