"""Writes DINO ViT-S/16 features of photos for gfncp: OUT.npy with a vector of length 1 for each photo, and
OUT-labels.npy with its class. FOLDER has a sub-folder for each class. It needs timm (pip install timm).

    python features.py imagenet/train in50.npy --classes imagenet_50.txt
    gfncp cluster in50.npy
"""

import argparse
import pathlib

import numpy as np
import timm
import torch
from PIL import Image

ENDINGS = {".png", ".jpg", ".jpeg"}


def photos(folder, classes, limit):
    """Lists (photo, class) by class, then by file name. A class is a sub-folder: all of them, or the first word of each
    line of the file classes."""
    root = pathlib.Path(folder)
    if classes:
        names = [line.split()[0] for line in open(classes) if line.strip()]
    else:
        names = sorted(p.name for p in root.iterdir() if p.is_dir())
    found = []
    for name in names:
        files = sorted(p for p in (root / name).rglob("*") if p.suffix.lower() in ENDINGS)
        if not files:
            raise SystemExit(f"{root / name}: no photo; every class needs a sub-folder with PNG or JPEG files")
        found += [(path, name) for path in files[:limit]]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("out", help="a new file, OUT.npy")
    parser.add_argument("--classes", help="file with the sub-folders to take, in their order, one a line")
    parser.add_argument("--limit", type=int, help="at most so many photos of each class")
    parser.add_argument("--model", default="vit_small_patch16_224.dino", help="a model of timm")
    parser.add_argument("--weights", help="its weights, a file; default: downloaded from huggingface.co")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()
    if not args.out.endswith(".npy"):
        raise SystemExit(f"{args.out}: end the name in .npy")

    found = photos(args.folder, args.classes, args.limit)
    weights = {"pretrained_cfg_overlay": {"file": args.weights}} if args.weights else {}
    model = timm.create_model(args.model, pretrained=True, num_classes=0, **weights).eval().to(args.device)
    prepare = timm.data.create_transform(**timm.data.resolve_model_data_config(model), is_training=False)
    features = []
    with torch.inference_mode():
        for start in range(0, len(found), args.batch):
            batch = [prepare(Image.open(path).convert("RGB")) for path, _ in found[start : start + args.batch]]
            features.append(torch.nn.functional.normalize(model(torch.stack(batch).to(args.device))).cpu().numpy())
            print(f"{start + len(batch)} of {len(found)} photos", flush=True)
    np.save(args.out, np.concatenate(features).astype(np.float32))
    np.save(args.out.removesuffix(".npy") + "-labels.npy", np.array([name for _, name in found]))


if __name__ == "__main__":
    main()
