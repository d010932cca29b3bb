"""Writes features of a ViT-S/16 with random weights, to compare gfncp's network with: `gfncp features check --dir DIR`.

    python3 vit_timm.py --out DIR [--images 8] [--device cuda]

The network is timm's vit_small_patch16_224; where timm is not installed it is PlainViT below, a re-implementation in plain
PyTorch with the same names, and the files say so. With timm, PlainViT is compared with it too. The weights are drawn so that no
part of the network is idle: timm's own initialization leaves every bias at zero.

DIR gets weights.safetensors (timm's names) and cases.safetensors: images [B,3,224,224] of normal values, and features [B,384].
"""
import argparse
import json
import os
import struct
import sys

import torch
from torch import nn

try:
    import timm
except ImportError:
    timm = None

WIDTH, DEPTH, HEADS, HIDDEN, PATCH, SIZE = 384, 12, 6, 1536, 16, 224
EPSILON = 1e-6  # of every norm, as in timm's ViT


class PatchEmbed(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Conv2d(3, WIDTH, kernel_size=PATCH, stride=PATCH)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5
        return self.proj((scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, WIDTH))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(WIDTH, HIDDEN)
        self.fc2 = nn.Linear(HIDDEN, WIDTH)

    def forward(self, x):
        return self.fc2(nn.functional.gelu(self.fc1(x)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.attn = Attention()
        self.norm2 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.mlp = MLP()

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PlainViT(nn.Module):
    """ViT-S/16 without a classifier; forward gives the class token [B,384]."""

    def __init__(self):
        super().__init__()
        self.cls_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + (SIZE // PATCH) ** 2, WIDTH))
        self.patch_embed = PatchEmbed()
        self.blocks = nn.Sequential(*[Block() for _ in range(DEPTH)])
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, x):
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), self.patch_embed(x)], dim=1) + self.pos_embed
        return self.norm(self.blocks(x))[:, 0]


def randomize(network, seed):
    """Draws all weights: matrices keep the size of their input, norms scale by about 1, nothing is zero."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in sorted(network.named_parameters()):
            values = torch.randn(p.shape, generator=random)
            if name.endswith("weight") and p.dim() > 1:
                values *= p[0].numel() ** -0.5
            else:
                values *= 0.3
                if name.endswith("weight"):  # a norm's
                    values += 1
            p.copy_(values)


def write_safetensors(path, tensors, metadata):
    """tensors: name -> float32 tensor. The format: length of the header, header in JSON, the values one after the other."""
    header, end = {"__metadata__": metadata}, 0
    blobs = []
    for name, t in sorted(tensors.items()):
        blob = t.detach().float().cpu().contiguous().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [end, end + len(blob)]}
        end += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for blob in blobs:
            file.write(blob)


def build(plain):
    """The network and what it is."""
    torch_version = f"torch {torch.__version__}"
    if timm is not None and not plain:
        return timm.create_model("vit_small_patch16_224", pretrained=False, num_classes=0), f"timm {timm.__version__}, {torch_version}"
    return PlainViT(), f"a plain PyTorch re-implementation, {torch_version}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder for the files")
    parser.add_argument("--images", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--plain", action="store_true", help="take PlainViT although timm is installed")
    opts = parser.parse_args()

    torch.backends.cuda.matmul.allow_tf32 = False  # exact float32, in the convolution too
    torch.backends.cudnn.allow_tf32 = False
    network, source = build(opts.plain)
    network.eval()
    randomize(network, opts.seed)
    images = torch.randn(opts.images, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(opts.seed + 1))
    with torch.inference_mode():
        features = network.to(opts.device)(images.to(opts.device)).cpu()
        if not isinstance(network, PlainViT):
            plain = PlainViT().eval()
            plain.load_state_dict(network.state_dict())
            difference = (plain.to(opts.device)(images.to(opts.device)).cpu() - features).abs().max().item()
            print(f"PlainViT differs from {source} by {difference:.2g}")
    if tuple(features.shape) != (opts.images, WIDTH) or not torch.isfinite(features).all():
        sys.exit(f"features of shape {tuple(features.shape)} that are not finite, or not [{opts.images}, {WIDTH}]")
    os.makedirs(opts.out, exist_ok=True)
    metadata = {"format": "pt", "source": f"{source}, on {opts.device}"}
    write_safetensors(os.path.join(opts.out, "weights.safetensors"), network.state_dict(), metadata)
    write_safetensors(os.path.join(opts.out, "cases.safetensors"), {"images": images, "features": features}, metadata)
    print(f"{source}, on {opts.device}: features of {opts.images} images, values up to {features.abs().max().item():.2g}")


if __name__ == "__main__":
    main()
