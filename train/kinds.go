package train

import (
	"slices"
	"strings"

	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/models/peers/ccp"
	"github.com/gfncp/gfncp/models/peers/dac"
	"github.com/gfncp/gfncp/models/peers/st"
)

// The models that this package trains.
const (
	GFNCP = "gfncp"
	NCP   = "ncp"
	ST    = "st"
	DAC   = "dac"
	CCP   = "ccp"
)

// kinds lists all kinds of models. A new peer is a line here beside its package.
var kinds = []Kind{
	{peers.Peer{Name: GFNCP}},
	{peers.Peer{Name: NCP}},
	{st.Peer},
	{dac.Peer},
	{ccp.Peer},
}

// Kind describes a kind of model to whatever lists, configures, trains or opens models. Peer is what a peer's package
// says of it; of the energy network (GFNCP, NCP) it holds the name alone.
type Kind struct{ peers.Peer }

// Energies reports whether the kind is an energy network: it has energies, log-probabilities and marginal consistency.
func (k Kind) Energies() bool { return k.New == nil }

// Title is the kind's name in tables and messages, such as "GFNCP".
func (k Kind) Title() string { return strings.ToUpper(k.Name) }

// Kinds lists the registered kinds of models, the energy networks first.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindOf returns the kind of a name; of an unknown one, a kind without name that is taken for an energy network.
func KindOf(name string) Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{}
}

// Models lists the names of the kinds.
func Models() (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// objective returns what the configured model is trained by.
func (c Config) objective(w *weights) (Objective, error) {
	if c.IsPeer() {
		return newPeerObjective(w, c), nil
	}
	return newEnergyObjective(w, c)
}

// method returns the peer that the config describes.
func (c Config) method() peers.Method { return KindOf(c.Model).New(c.Net, c.Peer) }

// IsPeer reports whether the model is one that the paper compares with, such as ST, DAC or CCP.
func (c Config) IsPeer() bool { return !KindOf(c.Model).Energies() }

// Layout lists the weights of the configured model, of any kind, without values.
func (c Config) Layout() models.Params {
	if c.IsPeer() {
		return c.method().Layout()
	}
	return c.Net.Layout()
}
