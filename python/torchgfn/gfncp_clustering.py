"""Clustering as a GFlowNet of the torchgfn library, with gfncp's energies as its policy, flows and reward.

The points have a fixed order, and the first is in cluster 0: the paper draws the order first, which adds log 1/N!. Names
in brackets are labels of the paper's equations.
"""

import torch
from gfn.env import DiscreteEnv
from gfn.estimators import DiscretePolicyEstimator, ScalarEstimator
from gfn.preprocessors import IdentityPreprocessor
from gfn.states import DiscreteStates
from torch import nn


class Clustering(DiscreteEnv):
    """Points [N,D] are put into clusters one after another.

    State: labels [N] of the first n points, numbered by first appearance from 0, and -1 for the others. s_0 has n = 1.
    Action k < N: the next point joins cluster k or, if k is their number, opens it. Action N: exit, after N points.
    A state has one parent: take the last label away. So P_B = 1: give torchgfn pb=None, constant_pb=True.
    Reward: e^{-E[c_{1:N}]} (eq:reward).
    """

    def __init__(self, network, x):
        self.network, self.x = network, x
        first = torch.full((len(x),), -1, device=x.device)
        first[0] = 0
        super().__init__(n_actions=len(x) + 1, s0=first, state_shape=(len(x),))

    def step(self, states, actions):
        labels = states.tensor
        return self.States(labels.scatter(1, (labels >= 0).sum(1, keepdim=True), actions.tensor))

    def backward_step(self, states, actions):
        return self.States(parents(states.tensor)[0])

    def log_reward(self, final_states):
        return log_state_flow(self.network, self.x, final_states.tensor)

    def make_states_class(self):
        env = self

        class Labels(DiscreteStates):
            state_shape, s0, sf, n_actions = env.state_shape, env.s0, env.sf, env.n_actions
            make_random_states = env.make_random_states

            def slots(self):
                return torch.arange(self.n_actions - 1, device=self.device)

            def _compute_forward_masks(self):
                complete = self.tensor[..., -1:] >= 0
                legal = self.slots() <= self.tensor.amax(-1, keepdim=True) + 1
                return torch.cat([legal & ~complete, complete], -1)

            def _compute_backward_masks(self):
                last, known = parents(self.tensor)[1:]
                return (self.slots() == last) & (known > 1)

        return Labels


def parents(labels):
    """The parents of labels [...,N], the labels [...,1] that were taken away, and how many there were, [...,1]."""
    known = (labels >= 0).sum(-1, keepdim=True)
    at = (known - 1).clamp(min=0)
    return labels.scatter(-1, at, -1), labels.gather(-1, at), known


def log_edge_flows(network, x, labels, flows="min"):
    """log F[c_{1:n-1} -> c_{1:n}] = -Ê[c_{1:n}] [B,N] for each slot of the next point (eq:FFE).

    flows "min": Ê = E - min E before the last point, and E at the last (the paper). "free": Ê = E.
    """
    energies = network(x, labels)
    before = labels[:, -2:].amax(1, keepdim=True) < 0  # more than one point is left
    if flows == "min":
        energies = energies - torch.where(before, energies.amin(1, keepdim=True), 0)
    return -energies


def log_state_flow(network, x, labels, flows="min"):
    """log F[c_{1:n}] = -Ê[c_{1:n}] [B] of labels (eq:FFE): the flow of the one edge into them; 0 at n = 1."""
    before, last, known = parents(labels)
    edges = log_edge_flows(network, x, before, flows).gather(1, last)
    return edges.masked_fill(known == 1, 0).squeeze(1)


class EdgeFlows(nn.Module):
    """log F of each action [B,N+1]; that of the exit is the log reward."""

    def __init__(self, network, x, flows="min"):
        super().__init__()
        self.network, self.x, self.flows = network, x, flows

    def forward(self, labels):
        flows = log_edge_flows(self.network, self.x, labels, self.flows)
        exits, complete = flows.new_zeros(len(labels)), labels[:, -1] >= 0
        if complete.any():
            exits[complete] = log_state_flow(self.network, self.x, labels[complete])
        return torch.cat([flows, exits.unsqueeze(1)], 1)


class StateFlows(EdgeFlows):
    """log F of each state [B,1]."""

    def forward(self, labels):
        return log_state_flow(self.network, self.x, labels, self.flows).unsqueeze(1)


def policy(network, x, flows="min"):
    """The forward policy softmax(-E) (eq:forward_clustering), which is also the edge flow of torchgfn's FMGFlowNet."""
    return DiscretePolicyEstimator(EdgeFlows(network, x, flows), len(x) + 1, IdentityPreprocessor(None))


def state_flow(network, x, flows="min"):
    """The state flow for DBGFlowNet and SubTBGFlowNet."""
    return ScalarEstimator(StateFlows(network, x, flows), IdentityPreprocessor(None))
