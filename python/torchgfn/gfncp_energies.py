"""The paper's energy network in PyTorch, with the weights of gfncp's model files.

    network = Energy.load("pretrained/weights/mog-gfncp.safetensors")
    network(x, labels)      # energies [B,N] of the next point in each cluster, after labels [B,N] of the first points

Names in brackets are labels of the paper's equations. docs/models.md describes the files. B labellings of N points.
"""

import torch
from safetensors.torch import load_file
from torch import nn


class Energy(nn.Module):
    """E[c_{1:n}] = f(G, U) of one set of points x [N,D] (eq:unnormalized_marginal). Without u, U is 0: online mode."""

    def __init__(self, weights):
        super().__init__()
        networks = {name.split(".")[0] for name in weights}
        if not {"f", "g", "h"} <= networks <= {"f", "g", "h", "u"} or "g.direct.weight" in weights:
            raise ValueError(f"only the paper's network is read (h, u, g, f), not one with {sorted(weights)}")
        self.g, self.f, self.h = (layers(weights, name) for name in "gfh")
        self.u = layers(weights, "u") if "u" in networks else None
        self.width = weights["f.0.weight"].shape[0] - weights["g.5.weight"].shape[1]  # of U

    @classmethod
    def load(cls, path):
        """The network of a model file. Half precision is widened to PyTorch's default."""
        dtype = torch.get_default_dtype()
        tensors = load_file(path).items()
        return cls({name: tensor.to(dtype) for name, tensor in tensors if not name.startswith("optimizer:")})

    def forward(self, x, labels):
        """E[c_{1:n}, k] [B,N] of the next point in each slot k, after labels [B,N], which are -1 from the next point on.

        Slots are the clusters so far and then a new one; the others have infinite energy, and so have all slots after
        the last point.
        """
        points, known = len(x), (labels >= 0).sum(1)
        clusters = labels.amax(1) + 1
        slots = min(int(clusters.max()) + 1, points)
        slot = torch.arange(slots, device=labels.device)
        following = known.clamp(max=points - 1)
        h = self.h(x)
        member = (labels.unsqueeze(1) == slot.unsqueeze(1)).to(h.dtype)  # [B,K,N]
        sums = member @ h  # (Hk)
        g = self.g(sums) * member.amax(2, keepdim=True)  # an empty cluster counts as 0
        state = g.sum(1, keepdim=True) - g + self.g(sums + h[following].unsqueeze(1))  # (G_def)
        ahead = self.ahead(x)[following].unsqueeze(1).expand(-1, slots, -1)
        energies = self.f(torch.cat([state, ahead], 2)).squeeze(2)
        illegal = (slot > clusters.unsqueeze(1)) | (known == points).unsqueeze(1)
        energies = energies.masked_fill(illegal, torch.inf)
        return nn.functional.pad(energies, (0, points - slots), value=torch.inf)

    def ahead(self, x):
        """U [N,E] of each point: the sum of u over the points after it (Q)."""
        if self.u is None:
            return x.new_zeros(len(x), self.width)
        u = self.u(x)
        return u.sum(0) - u.cumsum(0)


def layers(weights, name):
    """A network of a model file: layers with a ReLU between each two."""
    count = sum(key.startswith(f"{name}.") and key.endswith(".weight") for key in weights)
    parts = [layer(weights[f"{name}.{i}.weight"], weights.get(f"{name}.{i}.bias")) for i in range(count)]
    parts = [part for layer in parts for part in (layer, nn.ReLU())][:-1]
    if isinstance(parts[0], nn.Linear):
        return nn.Sequential(*parts)
    conv1, relu1, conv2, relu2, first, *rest = parts  # an encoder of images, pixels -1..1, row by row
    by_channel = first.weight.unflatten(1, (4, 4, 20)).permute(0, 3, 1, 2).flatten(1)
    first.weight = nn.Parameter(by_channel.contiguous())  # the file has (row, column, channel)
    pool = nn.MaxPool2d(2)
    return nn.Sequential(
        nn.Unflatten(1, (1, 28, 28)), conv1, pool, relu1, conv2, pool, relu2, nn.Flatten(), first, *rest
    )


def layer(weight, bias):
    """y = x·W + b with W [in,out], or a convolution [height,width,in,out]; PyTorch has the outputs first."""
    if weight.ndim == 2:
        made, weight = nn.Linear(*weight.shape, bias=bias is not None), weight.t()
    else:
        made, weight = nn.Conv2d(*weight.shape[2:], weight.shape[0]), weight.permute(3, 2, 0, 1)
    made.weight = nn.Parameter(weight.contiguous())
    if bias is not None:
        made.bias = nn.Parameter(bias)
    return made


def centred(x):
    """Points [N,D] without their median, as gfncp centres all but images."""
    middle = x.sort(0).values
    return x - (middle[(len(x) - 1) // 2] + middle[len(x) // 2]) / 2
