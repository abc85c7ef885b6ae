#!/usr/bin/env bash
# codespell over sources and texts; not over what others wrote (samples, goldens) and what is broken on
# purpose (corpora).
set -euo pipefail
cd "$1"
# shellcheck source=tests/lint/tools.sh
source tests/lint/tools.sh
words=(
  te gir olt        # TVM's tensor expressions; the suffix of graphs as text
  fro kinf          # torch's norm "fro"; kInf
  fo nam abd standart # tests: base64 of "fo", mistyped keys, letters
)
ignored=$(IFS=, && echo "${words[*]}")
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tools python3 -m codespell_lib --quiet-level 3 \
  --ignore-words-list "$ignored" --skip 'tests/golden,tests/fuzz/corpus' \
  ./*.md graphnet CMakeLists.txt .ci configs host plugins sdk tests
