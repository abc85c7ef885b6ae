#!/usr/bin/env python3
"""Writes samples of single operators and of two small models, to time compilers on.

    tests/bench/operator_samples.py FOLDER
    graphnet run FOLDER --config xla.yaml --config tvm.yaml --threads 1

Shapes are those of the dataset's common layers: products of 512 and 1024, a 3x3 convolution of
ResNet's first stage, softmax and layer norm of BERT-base at 128 tokens, one layer of it, ResNet-18.
"""
import json
import pathlib
import sys


class Graph:
    """A model.py in the making: parameters in order of use, then one line an operator."""

    def __init__(self):
        self.parameters = []
        self.lines = []

    def add(self, name, kind, shape, mean, std):
        name = name.format(len(self.parameters))
        self.parameters.append((name, kind, shape, mean, std))
        return name

    def input(self, shape):
        return self.add("L_x{}_", "torch.Tensor", shape, 0.0, 1.0)

    def parameter(self, shape, mean=0.0):
        return self.add("L_self_parameters_p{}_", "torch.nn.parameter.Parameter", shape, mean, 0.05)

    def buffer(self, shape, mean):
        return self.add("L_self_buffers_b{}_", "torch.Tensor", shape, mean, 0.01)

    def op(self, text):
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def linear(self, x, num_in, num_out):
        weight = self.parameter([num_out, num_in])
        bias = self.parameter([num_out])
        return self.op(f"torch._C._nn.linear({x}, {weight}, {bias})")

    def layer_norm(self, x, width):
        weight = self.parameter([width], 1.0)
        bias = self.parameter([width])
        return self.op(f"torch.nn.functional.layer_norm({x}, ({width},), {weight}, {bias}, 1e-12)")

    def convolution(self, x, num_in, num_out, size, stride):
        weight = self.parameter([num_out, num_in, size, size])
        pad = size // 2
        return self.op(f"torch.conv2d({x}, {weight}, None, ({stride}, {stride}), ({pad}, {pad}), (1, 1), 1)")

    def batch_norm(self, x, channels):
        mean, variance = self.buffer([channels], 0.0), self.buffer([channels], 1.0)
        weight, bias = self.parameter([channels], 1.0), self.parameter([channels])
        return self.op(
            f"torch.nn.functional.batch_norm({x}, {mean}, {variance}, {weight}, {bias}, False, 0.1, 1e-05)")

    def write(self, folder, result):
        folder.mkdir(parents=True, exist_ok=True)
        arguments = "".join(f"        {name}: {kind},\n" for name, kind, *_ in self.parameters)
        body = "".join(f"        {line}\n" for line in self.lines)
        (folder / "model.py").write_text(
            "import torch\n\n\nclass GraphModule(torch.nn.Module):\n    def forward(\n        self,\n"
            f"{arguments}    ):\n{body}        return ({result},)\n")
        (folder / "weight_meta.py").write_text("\n\n".join(
            f'class Program_weight_tensor_meta_{name}:\n    name = "{name}"\n    shape = {shape}\n'
            f'    dtype = "torch.float32"\n    device = "cpu"\n    mean = {mean}\n    std = {std}\n'
            "    data = None\n" for name, _, shape, mean, std in self.parameters))
        (folder / "input_meta.py").write_text("")
        (folder / "graph_net.json").write_text(json.dumps(
            {"framework": "torch", "num_devices_required": 1, "num_nodes_required": 1, "dynamic": False,
             "model_name": folder.name, "source": "bench"}, indent=4) + "\n")


def single(shapes, text):
    def build(graph):
        return graph.op(text.format(*[graph.input(shape) for shape in shapes]))
    return build


def layer_norm(graph):
    return graph.layer_norm(graph.input([128, 768]), 768)


def bert_layer(graph, tokens=128, width=768, heads=12, inner=3072):
    x = graph.input([1, tokens, width])

    def split():
        projected = graph.linear(x, width, width)
        viewed = graph.op(f"{projected}.view(1, {tokens}, {heads}, {width // heads})")
        return graph.op(f"{viewed}.transpose(1, 2)")

    query, key, value = split(), split(), split()
    attended = graph.op(f"torch._C._nn.scaled_dot_product_attention({query}, {key}, {value})")
    joined = graph.op(f"{graph.op(f'{attended}.transpose(1, 2)')}.reshape(1, {tokens}, {width})")
    x = graph.layer_norm(graph.op(f"{graph.linear(joined, width, width)} + {x}"), width)
    hidden = graph.op(f"torch._C._nn.gelu({graph.linear(x, width, inner)})")
    return graph.layer_norm(graph.op(f"{graph.linear(hidden, inner, width)} + {x}"), width)


def resnet18(graph):
    def normed(x, num_in, num_out, size, stride):
        return graph.batch_norm(graph.convolution(x, num_in, num_out, size, stride), num_out)

    def relu(x):
        return graph.op(f"torch.nn.functional.relu({x})")

    x = relu(normed(graph.input([1, 3, 224, 224]), 3, 64, 7, 2))
    x = graph.op(f"torch.nn.functional.max_pool2d({x}, 3, 2, 1, 1, ceil_mode=False, return_indices=False)")
    width = 64
    for stage, channels in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage > 0 and block == 0 else 1
            shortcut = x if stride == 1 else normed(x, width, channels, 1, stride)
            inner = relu(normed(x, width, channels, 3, stride))
            x = relu(graph.op(f"{normed(inner, channels, channels, 3, 1)} + {shortcut}"))
            width = channels
    x = graph.op(f"torch.nn.functional.adaptive_avg_pool2d({x}, (1, 1))")
    return graph.linear(graph.op(f"torch.flatten({x}, 1)"), 512, 1000)


SAMPLES = {
    "matmul_512": single([[512, 512], [512, 512]], "torch.matmul({}, {})"),
    "matmul_1024": single([[1024, 1024], [1024, 1024]], "torch.matmul({}, {})"),
    "convolution_3x3": lambda graph: graph.convolution(graph.input([1, 64, 56, 56]), 64, 64, 3, 1),
    "softmax": single([[12, 128, 128]], "torch.softmax({}, -1)"),
    "layer_norm": layer_norm,
    "bert_layer": bert_layer,
    "resnet18": resnet18,
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, build in SAMPLES.items():
        graph = Graph()
        graph.write(pathlib.Path(sys.argv[1]) / "bench" / name, build(graph))


main()
