# SPDX-License-Identifier: MIT
"""Compiles a graph with torch.export and AOTInductor. Started by plugin inductor while it compiles, in a process of its own.

    python3.11 -I compile.py TORCH PACKAGES FOLDER THREADS FREEZE AUTOTUNE CHECK

TORCH      folder that holds torch/
PACKAGES   folder of the wheels in requirements.txt
FOLDER     has module.py (the graph) and data (elements of constants); gets model.so and times, or error
THREADS    of each call; the code is for this number
FREEZE     1: fold and pack what is known (weights mode `frozen`)
AUTOTUNE   1: time templates for products, and take the fastest
CHECK      1: export only
"""
import json
import os
import struct
import sys
import time
import zipfile

torch_folder, packages, folder = sys.argv[1:4]
threads = int(sys.argv[4])
freeze, autotune, check_only = (word == "1" for word in sys.argv[5:8])
sys.path[:0] = [torch_folder, packages]


def fail(kind, reason):
    """kind: unavailable, unsupported or failed."""
    with open(os.path.join(folder, "error"), "w") as file:
        file.write(f"{kind}\n{reason}\n")
    sys.exit(1)


if sys.version_info[:2] != (3, 11):
    fail("unavailable", f"torch's wheel is for Python 3.11, {sys.executable} is {sys.version.split()[0]}")

started = time.monotonic()
try:
    import torch
    from torch._inductor import cpu_vec_isa, decomposition
except Exception as error:
    fail("unavailable", f"torch cannot be imported: {type(error).__name__}: {error}")

# Inductor asks the processor which vector instructions there are, and then whether code for each runs, in processes
# that import torch again: seconds in every compile. The first answer is enough for g++ 10 and newer.
cpu_vec_isa.VecISA.check_build = lambda self, code: True

aten = torch.ops.aten


class Base(torch.nn.Module):
    """Its attributes are the graph's weights and constants."""


def convert(argument, value):
    """Values of schema types that have no literal in Python."""
    kind = str(argument.real_type)
    if not isinstance(value, str):
        return value
    if "MemoryFormat" in kind or "Layout" in kind:
        return getattr(torch, value)
    return torch.device(value) if "Device" in kind else value


def multi_head_attention(query, key, value, width, heads, qkv, qkv_bias, out, out_bias, mask, need_weights, average, _):
    if mask is not None:
        raise ValueError("_native_multi_head_attention with a mask")
    rows_first = {id(each): each.transpose(0, 1) for each in (query, key, value)}  # one tensor stays one
    result, weights = torch.nn.functional.multi_head_attention_forward(
        *(rows_first[id(each)] for each in (query, key, value)), width, heads, qkv, qkv_bias, None, None, False, 0.0, out,
        out_bias, training=False, need_weights=need_weights, average_attn_weights=average)
    return result.transpose(0, 1), query.new_empty(0) if weights is None else weights


# Fast paths of torch's modules that Inductor does not know, as the module says them where it has no fast path.
SLOW_PATHS = {aten._native_multi_head_attention.default: multi_head_attention}


def call(op, **given):
    """Calls an operator with all arguments of its schema; its tensors as a tuple."""
    positional, named = [], {}
    for argument in op._schema.arguments:
        value = convert(argument, given[argument.name])
        if argument.kwarg_only:
            named[argument.name] = value
        else:
            positional.append(value)
    result = SLOW_PATHS.get(op, op)(*positional, **named)
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def stand_in(dtype, shape):
    """A tensor in place of a weight whose values are unknown: no two elements say that it is constant."""
    count = 1
    for extent in shape:
        count *= extent
    numbers = torch.arange(count) % 251
    if dtype.is_floating_point or dtype.is_complex:
        return (numbers / 256 + 0.125).to(dtype).reshape(shape)
    return (numbers % 2).to(dtype).reshape(shape)


def known(data, dtype, shape, offset):
    count = 1
    for extent in shape:
        count *= extent
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(data, dtype=dtype, count=count, offset=offset).reshape(shape).clone()


def read_module():
    names = {"torch": torch, "aten": aten, "Base": Base, "call": call}
    path = os.path.join(folder, "module.py")
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    with open(os.path.join(folder, "data"), "rb") as file:
        data = bytearray(file.read())
    module = names["Module"]()
    for name, is_weight, dtype, shape, offset in names["ATTRIBUTES"]:
        tensor = stand_in(dtype, shape) if offset is None else known(data, dtype, shape, offset)
        if is_weight and dtype.is_floating_point:
            module.register_parameter(name, torch.nn.Parameter(tensor, requires_grad=False))
        else:
            module.register_buffer(name, tensor)
    arguments = tuple(torch.zeros(shape, dtype=dtype) for dtype, shape in names["INPUTS"])
    return module.eval(), arguments


def pad_complex(value, pad, fill=0):
    if not value.is_complex() or fill != 0:
        return NotImplemented
    return torch.view_as_complex(aten.constant_pad_nd(torch.view_as_real(value), [0, 0, *pad], 0))


# Inductor leaves it to its caller where elements are complex, with a scalar that the caller cannot give on. Inverse Fourier
# transforms pad.
decomposition.decompositions[aten.constant_pad_nd.default] = pad_complex

# Types of arguments for which libtorch's dispatcher has a form in C.
DISPATCHED = {"Tensor", "Tensor[]", "int", "int[]", "SymInt", "SymInt[]", "float", "bool"}


def type_name(argument):
    """The type without Optional."""
    kind = argument.real_type
    if isinstance(kind, torch.OptionalType):
        kind = kind.getElementType()
    return str(kind.getElementType()) + "[]" if isinstance(kind, torch.ListType) else str(kind)


def is_dispatched(argument):
    return type_name(argument) in DISPATCHED


def not_callable(program):
    """Operators that Inductor writes no code for, and leaves to its caller because libtorch's C interface has no function for
    them, of whose arguments some cannot be given to the dispatcher."""
    from torch._inductor import lowering
    from torchgen.aoti.fallback_ops import inductor_fallback_ops

    names = set()
    for node in program.run_decompositions(decomposition.select_decomp_table()).graph.nodes:
        op = node.target
        if node.op != "call_function" or not isinstance(op, torch._ops.OpOverload) or str(op) in inductor_fallback_ops:
            continue
        if op in lowering.lowerings and op not in lowering.fallbacks:
            continue
        if torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), "CompositeImplicitAutograd"):
            continue  # Inductor replaces it with what it is made of
        given = dict(zip((each.name for each in op._schema.arguments), node.args), **node.kwargs)
        if any(given.get(each.name) is not None and not is_dispatched(each) for each in op._schema.arguments):
            names.add(op.name())
    return sorted(names)


def argument_word(argument, value):
    """An argument of a call in an `extern_nodes` file, as class ExternCalls reads it."""
    (kind, value), = value.items()
    mark = "?" if isinstance(argument.real_type, torch.OptionalType) else ""
    if kind == "as_none":
        return mark + "none"
    if kind == "as_optional_tensor":
        return argument_word(argument, value)
    if kind in ("as_tensor", "as_int", "as_sym_int"):
        return mark + ("tensor" if kind == "as_tensor" else "int")
    if kind in ("as_tensors", "as_ints", "as_sym_ints"):
        return f"{mark}{'tensors' if kind == 'as_tensors' else 'ints'}:{len(value)}"
    return mark + static_word(value)


def static_word(value):
    if value is None:
        return "none"
    return "value:" + (struct.pack(">d", value) if isinstance(value, float) else struct.pack(">q", value)).hex()


def call_line(node):
    """A call that the code leaves to its caller."""
    name, _, overload = node["target"].partition(".")
    op = torch._C._get_schema(name, overload)
    given = {each["name"]: each["arg"] for each in node["inputs"]}
    words = [name, overload or "-", str(len(node["outputs"]))]
    for argument in op.arguments:
        default = {"as_none": True} if argument.default_value is None else {"default": argument.default_value}
        value = given.get(argument.name, default)
        if not is_dispatched(argument) and "as_none" not in value:
            fail("unsupported", f"{node['target']}: Inductor leaves it to its caller, and libtorch's dispatcher takes no "
                                f"{type_name(argument)} there")
        words.append(argument_word(argument, value))
    if any("as_tensor" not in each for each in node["outputs"]):
        fail("unsupported", f"{node['target']}: Inductor leaves it to its caller, and its results are no tensors")
    return " ".join(words) + "\n"


def settings():
    chosen = {
        "aot_inductor.link_libtorch": False,
        "aot_inductor.package_constants_in_so": freeze,
        # Small constants would be written into the code: they are stand-ins.
        "always_keep_tensor_constants": not freeze,
        "freezing": freeze,
        "max_autotune": autotune,
        # As torch.compile does. Code for any number of threads (cpp.dynamic_threads) makes every kernel a parallel region, the
        # smallest too, which costs small graphs half of their speed.
        "cpp.threads": threads,
    }
    if autotune:
        chosen["max_autotune_gemm_backends"] = "CPP,ATEN"
    return chosen


def one_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if ": error: " in line]  # by g++, behind a command of 4 KB
    return f"{type(error).__name__}: {' '.join(said[:1] or lines)[:400]}"


def compile_module(program):
    package = os.path.join(folder, "model.pt2")
    with torch.no_grad():  # where gradients are on, Inductor freezes nothing
        torch._inductor.aoti_compile_and_package(program, package_path=package, inductor_configs=settings())
    with zipfile.ZipFile(package) as archive:
        (library,) = [name for name in archive.namelist() if name.endswith(".so")]
        with open(os.path.join(folder, "model.so"), "wb") as file:
            file.write(archive.read(library))
        listed = [name for name in archive.namelist() if name == library.removesuffix(".so") + ".json"]
        nodes = json.loads(archive.read(listed[0]))["nodes"] if listed else []
    with open(os.path.join(folder, "calls"), "w") as file:
        file.writelines(call_line(each["node"]) for each in nodes)


torch.set_num_threads(threads)
imported = time.monotonic()
try:
    with torch.no_grad():
        program = torch.export.export(*read_module(), strict=False)
except Exception as error:
    fail("unsupported", "torch.export: " + one_line(error))
left = not_callable(program)
if left:
    fail("unsupported", ", ".join(left) + ": Inductor leaves it to its caller, and libtorch's dispatcher does not take all its "
                                          "arguments in C")
exported = time.monotonic()
if check_only:
    sys.exit(0)
try:
    compile_module(program)
except Exception as error:
    kind = "unavailable" if type(error).__name__ == "InvalidCxxCompiler" else "failed"
    fail(kind, "Inductor: " + one_line(error))
with open(os.path.join(folder, "times"), "w") as file:
    file.write(f"import: {imported - started:.2f} s\nexport: {exported - imported:.2f} s\n")
    file.write(f"inductor: {time.monotonic() - exported:.2f} s\n")
