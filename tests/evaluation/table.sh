#!/usr/bin/env bash
# Prints what README.md says of the repository's own evaluation: made anew from its records, which are in this
# folder. e2e/own_evaluation holds README to it.
#
#   tests/evaluation/table.sh [GRAPHNET] [FOLDER]    FOLDER: where the evaluation is unpacked (one of its own)
#
# A new evaluation takes their place:
#   cd DATASET/samples && graphnet evaluate TREE/samples/lists/evaluation.txt --config A --config B -o FOLDER
#   gzip -9n <FOLDER/results.jsonl >TREE/tests/evaluation/results.jsonl.gz && cp FOLDER/evaluation.json TREE/tests/evaluation/
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
graphnet=${1:-$here/../../build/release/bin/graphnet}
folder=${2:-$(mktemp -d)}
[[ -n ${2:-} ]] || trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/records"
gunzip <"$here/results.jsonl.gz" >"$folder/records/results.jsonl"
cp "$here/evaluation.json" "$folder/records/"
"$graphnet" --quiet evaluate --merge "$folder/records" -o "$folder/evaluation"
# Machine and protocol, the sentence and the table of each weights mode, threads; families are in the page.
awk '/^- (machine|protocol|libtorch|noise floor):/ { print; next }
  /^## Scores/ { exit }
  /^### / { print "\n" $0 "\n"; is_sentence = 1; next }
  /^\| (family|ES\(t\)) / { here = 0 }
  /^\| backend / { here = 1; is_sentence = 0 }
  is_sentence && NF { print $0 "\n"; is_sentence = 0; next }
  here && /^\|/' "$folder/evaluation/report.md"
