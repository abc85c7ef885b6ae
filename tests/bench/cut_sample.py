#!/usr/bin/env python3
"""Finds where a compiler's time goes in a sample: cuts it after more and more of its statements.

    tests/bench/cut_sample.py cut SAMPLE FOLDER [PIECES]     writes PIECES (default 8) beginnings of it
    graphnet run FOLDER --config xla.yaml --threads 1 --protocol smoke -o FOLDER/results.jsonl
    tests/bench/cut_sample.py table FOLDER/results.jsonl     what each piece adds, eager beside compiler

A beginning returns whatever of it is read later, so a cut keeps the compiler from fusing across it and
costs the writing of what lives there: the pieces are a guide, their sum is not the sample.
"""
import ast
import collections
import json
import pathlib
import shutil
import sys


def names_in(node, context):
    return [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)]


def is_cleanup(statement):
    return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant) \
        and statement.value.value is None


def is_call(statement):
    return any(isinstance(n, (ast.Call, ast.BinOp)) for n in ast.walk(statement))


def beginning(tree, forward, body, count):
    """The tree with only `count` statements, returning what the rest of them reads."""
    kept = body[:count]
    made = [name for s in kept for name in names_in(s, ast.Store)]
    read = {name for s in body[count:] for name in names_in(s, ast.Load)}
    arguments = {a.arg for a in forward.args.args}
    aliases = {s.targets[0].id for s in kept if isinstance(s, ast.Assign)
               and isinstance(s.value, ast.Name) and s.value.id in arguments}
    live = [n for n in dict.fromkeys(made) if n in read and n not in aliases]
    forward.body = kept + [ast.Return(ast.Tuple([ast.Name(n, ast.Load()) for n in live], ast.Load()))]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def cut(sample, folder, pieces):
    sample, folder = pathlib.Path(sample), pathlib.Path(folder)
    text = (sample / "model.py").read_text()
    size = len([s for s in ast.walk(ast.parse(text)) if isinstance(s, ast.FunctionDef)][0].body)
    for piece in range(1, pieces + 1):
        tree = ast.parse(text)
        forward = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
        returned = forward.body.pop()
        body = [s for s in forward.body if not is_cleanup(s)]
        calls = [i for i, s in enumerate(body) if is_call(s)]
        target = folder / f"{sample.name}_{piece:02d}_of_{pieces:02d}"
        shutil.copytree(sample, target, dirs_exist_ok=True)
        if piece == pieces:
            forward.body.append(returned)
            (target / "model.py").write_text(text)
        else:
            count = calls[len(calls) * piece // pieces] + 1
            (target / "model.py").write_text(beginning(tree, forward, body + [returned], count))
    print(f"{pieces} beginnings of {sample.name} ({size} statements) in {folder}")


def table(results):
    rows = collections.defaultdict(dict)
    for line in open(results):
        record = json.loads(line)
        if isinstance(record.get("sample"), dict) and record["outcome"] == "ok":
            plugin = record["plugin"].get("variant") or record["plugin"]["name"]
            rows[plugin][record["sample"]["name"]] = (
                record["eager"]["median_ns"], record["plugin_side"]["median_ns"])
    for plugin, samples in rows.items():
        print(f"{plugin:14} {'eager':>10} {'compiled':>10}  added: {'eager':>8} {'compiled':>10} {'ratio':>7}")
        last = (0, 0)
        for name, times in sorted(samples.items()):
            if "_01_of_" in name:
                last = (0, 0)
            added = [t - l for t, l in zip(times, last)]
            ratio = f"{added[0] / added[1]:6.2f}x" if min(added) > 0 else "      -"
            print(f"{name[-8:]:>14} {times[0] / 1e6:7.2f} ms {times[1] / 1e6:7.2f} ms {added[0] / 1e6:12.2f} ms"
                  f" {added[1] / 1e6:7.2f} ms {ratio}  {name}")
            last = times


def main():
    if len(sys.argv) in (4, 5) and sys.argv[1] == "cut":
        cut(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) == 5 else 8)
    elif len(sys.argv) == 3 and sys.argv[1] == "table":
        table(sys.argv[2])
    else:
        sys.exit(__doc__)


main()
