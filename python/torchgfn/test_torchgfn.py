"""Energies, policy and losses under PyPI's torchgfn against those of the Go program, in ours.json.

.ci/torchgfn.sh makes an environment and runs this.
"""

import contextlib
import io
import json
import math
import pathlib
import re
import unittest

try:
    import gfn.gflownet as torchgfn
    import torch
    from gfn.containers import Trajectories
except ImportError as missing:
    raise unittest.SkipTest(f"{missing}: pip install torchgfn safetensors")

from gfncp_clustering import Clustering, policy, state_flow
from gfncp_energies import Energy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OURS = json.loads((HERE / "ours.json").read_text())
FLOWS = ("min", "free")  # keys of losses in ours.json, lists of MC, DB, TB and SubTB(0.9)


def model_file(name):
    return next((ROOT / "pretrained").glob(f"*/{name}.safetensors"))


def waves(count):
    """The images of ours.json, as losses/torchgfn_test.go computes them."""
    index = torch.arange(count, dtype=torch.float64)
    return torch.sin(index * index / 5000)


class Set:
    """A set of ours.json: its network, points, labels, and the one trajectory that leads to these."""

    def __init__(self, numbers):
        self.numbers, self.network = numbers, Energy.load(model_file(numbers["model"]))
        self.labels = torch.tensor(numbers["labels"])
        count = len(self.labels)
        points = numbers.get("points")
        self.x = waves(count * 784).view(count, 784) if points is None else torch.tensor(points)
        self.env = Clustering(self.network, self.x)
        self.env.debug = True  # torchgfn then refuses actions that are not legal

    def trajectory(self):
        """Takes the labels one by one, and the exit."""
        states = [self.env.reset(1)]
        actions = [self.env.actions_from_tensor(a.view(1, 1)) for a in [*self.labels[1:], self.env.exit_action]]
        for action in actions:
            states.append(self.env._step(states[-1], action))
        end = torch.tensor([len(actions)])
        reward = self.env.log_reward(states[-2])
        stacked = self.env.States.stack(states), self.env.Actions.stack(actions)
        return Trajectories(self.env, *stacked, terminating_idx=end, log_rewards=reward)


class Torchgfn(unittest.TestCase):
    def setUp(self):
        torch.set_default_dtype(torch.float64)
        self.sets = [Set(numbers) for numbers in OURS]

    def each(self):
        """Each set with both kinds of flows, and torchgfn's arguments."""
        for s in self.sets:
            for flows in FLOWS:
                self.now = f"{s.numbers['model']}, {len(s.x)} points, flows {flows}"
                yield s, flows, {"pf": policy(s.network, s.x, flows), "pb": None, "constant_pb": True}

    def close(self, value, wanted):
        value = float(value)
        self.assertLess(abs(value - wanted), 1e-4 * max(1, abs(wanted)), f"{self.now}: {value}, want {wanted}")

    def test_energies(self):
        for s in self.sets:
            self.now = s.numbers["model"]
            states = s.trajectory().states.tensor[:-2, 0]
            energies = s.network(s.x, states)
            for row, wanted in zip(energies, s.numbers["energies"], strict=True):
                self.assertEqual(int(row.isfinite().sum()), len(wanted))
                for energy, want in zip(row, wanted):
                    self.close(energy, want)

    def test_policy(self):
        """Log p of the labels is that of torchgfn's trajectory."""
        for s, _, arguments in self.each():
            gflownet = torchgfn.TBGFlowNet(**arguments)
            self.close(gflownet.trajectory_log_probs_forward(s.trajectory()).sum(), s.numbers["log_p"])

    def test_flow_matching(self):
        """torchgfn's flow matching over all states after the first is marginal consistency without its first term."""
        for s, flows, arguments in self.each():
            gflownet = torchgfn.FMGFlowNet(arguments["pf"])
            states = gflownet.to_training_samples(s.trajectory())
            first = torch.logsumexp(arguments["pf"](s.env.reset(1))[:, :2], 1) ** 2  # torchgfn matches no flow at s_0
            loss = gflownet.loss(s.env, states, reduction="sum")
            self.close(first + loss, s.numbers["losses"][flows][0])

    def test_detailed_balance(self):
        for s, flows, arguments in self.each():
            gflownet = torchgfn.DBGFlowNet(logF=state_flow(s.network, s.x, flows), **arguments)
            transitions = gflownet.to_training_samples(s.trajectory())
            self.close(gflownet.loss(s.env, transitions, reduction="sum"), s.numbers["losses"][flows][1])

    def test_trajectory_balance(self):
        """log Z is 0: the first state's flow is 1."""
        for s, flows, arguments in self.each():
            self.close(torchgfn.TBGFlowNet(**arguments).loss(s.env, s.trajectory()), s.numbers["losses"][flows][2])

    def test_subtrajectory_balance(self):
        """torchgfn's pieces but for those through the exit, which decides nothing, weighed as ours."""
        for s, flows, arguments in self.each():
            gflownet = torchgfn.SubTBGFlowNet(logF=state_flow(s.network, s.x, flows), **arguments)
            scores, _ = gflownet.get_scores(s.trajectory(), env=s.env)
            self.close(scores[0][-1], 0)  # the exit alone
            weights = [0.9**length for length in range(1, len(s.x))]
            total = sum(w * (pieces[:-1] ** 2).sum() for w, pieces in zip(weights, scores))
            self.close(total / sum(weights), s.numbers["losses"][flows][3])

    def test_environment(self):
        """Samples of the policy are partitions; each state has its parent; learning moves the weights."""
        s = self.sets[0]
        gflownet = torchgfn.TBGFlowNet(policy(s.network, s.x), None, constant_pb=True)
        found = gflownet.sample_trajectories(s.env, 8)
        for labels in found.terminating_states.tensor.tolist():
            self.assertEqual(labels, [sorted(set(labels), key=labels.index).index(label) for label in labels])
        self.assertFalse(s.env.reset(1).backward_masks.any())
        for before, action, after in zip(found.states[:-2], found.actions[:-1], found.states[1:-1]):
            legal = s.network(s.x, before.tensor).isfinite()
            self.assertTrue(torch.equal(before.forward_masks[:, :-1], legal))
            back = s.env._backward_step(after, action)
            self.assertTrue(torch.equal(back.tensor, before.tensor))
            self.assertTrue(bool((after.backward_masks.sum(1) == 1).all()))
        gflownet.loss(s.env, found).backward()
        self.assertTrue(all(math.isfinite(p.grad.norm()) for p in s.network.parameters()))

    def test_other_networks(self):
        for name in ("mog-gfncp-free", "mog-st"):
            with self.assertRaisesRegex(ValueError, "only the paper's network"):
                Energy.load(model_file(name))

    def test_readme(self):
        torch.set_default_dtype(torch.float32)
        code = re.search(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.S).group(1)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code.replace("pretrained/", f"{ROOT}/pretrained/"), {})
        self.assertRegex(printed.getvalue(), r"tensor\(\[0, [\s\S]+tensor\(\d")


if __name__ == "__main__":
    unittest.main()
