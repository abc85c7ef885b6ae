"""Parses and verifies MHLO modules with the dialect that a jaxlib of 2023 has.

python3.11 parse_mhlo.py TREE FOLDER    TREE holds jaxlib/mlir (requirements.txt), FOLDER the *.mlir

Exit code 1 if one is refused, or if there is none.
"""
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import chlo, func, mhlo  # noqa: E402,F401


def refusal_of(text):
    with ir.Context() as context:
        mhlo.register_mhlo_dialect(context)
        chlo.register_chlo_dialect(context)
        try:
            ir.Module.parse(text).operation.verify()
        except Exception as error:  # MLIRError is not the only one
            return str(error)
    return ""


files = sorted(pathlib.Path(sys.argv[2]).glob("*.mlir"))
refused = 0
for file in files:
    refusal = refusal_of(file.read_text())
    if refusal:
        refused += 1
        print(f"{file.name}: {refusal[:1000]}")
# A parser that takes everything would say nothing of the files.
if not refusal_of("module { func.func @main() { %0 = mhlo.iota dim = 0 : tensor<3xf32> return } }"):
    sys.exit("the parser takes a form that MHLO of 2023 does not have")
print(f"{len(files)} modules, {refused} refused")
sys.exit(1 if refused or not files else 0)
