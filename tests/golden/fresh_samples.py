#!/usr/bin/env python3
"""Lets upstream's own tools make samples afresh, and writes down what upstream computes for each.

    fresh_samples.py GRAPHNET SAMPLES OUT [NAME...]

GRAPHNET is a checkout of PaddlePaddle/GraphNet (commit 1dcbd66), NAME a sample below SAMPLES
(default: the ten of NAMES). Writes OUT/TOOL/... and OUT/golden.jsonl.
"""
import contextlib
import hashlib
import importlib
import inspect
import json
import math
import multiprocessing
import pathlib
import re
import shutil
import sys

import numpy
import torch

TINY = "transformers-auto-model/hf-tiny-model-private_tiny-random-"
NAMES = ["timm/test_efficientnet_ln.r160_in1k", "torchgeometric/GAT", TINY + "BeitModel",
         "torchvision/mobilenet_v3_small", "torchvision/squeezenet1_0",
         TINY + "FNetForSequenceClassification", TINY + "MPNetForSequenceClassification",
         *("transformers-auto-model/" + name for name in (
             "bloom-tiny-random", "falcon-tiny-random", "sadhaklal_mlp-iris"))]
MOST_OPERATORS = 24  # single-operator samples made of one sample, spread evenly over it


def calls(upstream, work, out, names):
    """Calls of upstream's tools, in order: sample, class, where it writes, configuration."""
    passes = "torch.sample_pass."
    rules = str(upstream / "graph_net/torch/constraint_util.py")
    cpu, operators = {"device": "cpu"}, {"op_names_path_prefix": str(work)}
    for name in names:
        yield name, passes + "op_names_extractor.OpNamesExtractor", work, {}
    yield names, passes + "typical_sequence_split_points.TypicalSequenceSplitPointsGenerator", \
        work / "typical_sequence", operators | {
            "window_size": 10, "fold_times": 10, "min_seq_ops": 4, "max_seq_ops": 16,
            "output_json": str(work / "positions"), "subgraph_ranges_json": str(work / "ranges")}
    for name in (name for name in names if (work / name / "op_names.txt").exists()):
        count = len((work / name / "op_names.txt").read_text().split())
        yield name, "torch.graph_decomposer.NaiveDecomposerExtractor", out / "naive_decompose", {
            "split_positions": [count // 3, 2 * count // 3], "group_head_and_tail": True,
            "chain_style": True}
        yield name, "sample_pass.op_extract_points_generator.OpExtractPointsGenerator", \
            work / "single_operator", operators
        file = work / "single_operator" / name / "subgraph_ranges.json"
        ranges = json.loads(file.read_text())["subgraph_ranges"]
        file.write_text(json.dumps({"subgraph_ranges": ranges[::-(-count // MOST_OPERATORS)]}))
        for tool in ("single_operator", "typical_sequence"):
            yield name, passes + "subgraph_generator.SubgraphGenerator", out / tool, cpu | {
                "subgraph_ranges_json_root": str(work / tool)}
        yield name, "sample_pass.ast_graph_variable_renamer.AstGraphVariableRenamer", \
            out / "ast_variable_rename", cpu | {
                "data_input_predicator_filepath": rules,
                "data_input_predicator_class_name": "NaiveDataInputPredicator",
                "model_runnable_predicator_filepath": rules,
                "model_runnable_predicator_class_name": "ModelRunnablePredicator"}
        yield name, passes + "dtype_generalizer.ApplyDataTypeGeneralizationPasses", \
            out / "dtype_gen", cpu | {"try_run": False, "model_runnable_predicator_filepath": rules}
        yield name, passes + "backward_graph_extractor.BackwardGraphExtractorPass", \
            out / "backward", cpu


def call(name, kind, samples, output, config):
    module, kind = kind.rsplit(".", 1)
    tool = getattr(importlib.import_module("graph_net." + module), kind)(
        {"model_path_prefix": str(samples), "output_dir": str(output), **config})
    if isinstance(name, str):
        return tool(name)
    for each in name:
        tool(each)
    return tool.END(name)


def contents(tensor):
    return tensor.detach().reshape(-1).contiguous().view(torch.uint8).numpy().tobytes()


def describe(tensor):
    wide = tensor.detach().double() if not tensor.is_complex() else tensor.new_empty(0)
    finite = wide[wide.isfinite()].tolist()
    return {"shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch."),
            "sha256": hashlib.sha256(contents(tensor)).hexdigest(),
            "mean": math.fsum(finite) / len(finite) if finite else None,
            "max_abs": max(map(abs, finite), default=None)}


def golden(folder):
    """As upstream's test_compiler: its seeds, its arguments, its rewriting of devices."""
    utils = importlib.import_module("graph_net_bench.torch.utils")
    numpy.random.seed(123)
    torch.manual_seed(123)
    metas = utils.load_converted_from_text(str(folder))["weight_info"]
    for meta in metas.values():
        meta["info"]["device"] = "cpu"
    arguments = {name: utils.replay_tensor(meta) for name, meta in metas.items()}
    module = {}
    exec(utils.modify_code_by_device((folder / "model.py").read_text(), "cpu"), module)
    model = module["GraphModule"]()
    names = inspect.signature(model.forward).parameters
    taken = b"".join(contents(arguments[name]) for name in names)
    inputs = {"count": len(names), "bytes": len(taken), "sha256": hashlib.sha256(taken).hexdigest()}
    outputs = model(**arguments)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return {"status": "ok", "inputs": inputs, "outputs": [describe(output) for output in outputs]}


def attempt(function, *arguments):
    try:
        with contextlib.redirect_stdout(None):
            return function(*arguments)
    except BaseException as error:
        return {"status": f"{type(error).__name__}: {error}".split("\n", 1)[0]}


def in_child(*call):
    """What the call returns, or why it fails. A crash or a hang costs this call only."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            return pool.apply_async(attempt, call).get(300)
        except multiprocessing.TimeoutError:
            return {"status": "crashed, or no end after 300 s"}


def main(upstream, samples, out, names):
    sys.path.insert(0, str(upstream))
    torch.set_num_threads(1)
    torch.manual_seed(123)  # the tools draw the values that their metadata describe
    work = out / ".work"
    for name in names:
        copy = shutil.copytree(samples / name, work / "samples" / name)
        for file in copy.glob("*.py"):
            file.write_text(re.sub('"cuda(:0"|", index=0|")', '"cpu"', file.read_text()))
    for name, kind, output, config in calls(upstream, work, out, names):
        print(output.name, name, in_child(call, name, kind, work / "samples", output, config) or "")
    with open(out / "golden.jsonl", "w") as lines:
        for model in sorted(out.glob("[!.]*/**/model.py")):
            line = {"sample": str(model.parent.relative_to(out)), **in_child(golden, model.parent)}
            print(json.dumps(line), file=lines, flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*(pathlib.Path(word).resolve() for word in sys.argv[1:4]), sys.argv[4:] or NAMES)
