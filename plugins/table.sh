#!/usr/bin/env bash
# Prints the README's table of what each compiler's plugin covers, from its manifest, the operators
# that it lists as unsupported, and its gaps. tests/lint/plugin_table.sh holds the README to it.
#
#   plugins/table.sh
set -euo pipefail
plugins=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
num_ops=$(grep -cE '^GN_(OP|COMPOSITE)\(' "$plugins/../sdk/lowering/ops.def")

count_unsupported() { # FOLDER
  if [[ -e $1/unsupported_ops.h ]]; then grep -c '{lowering::Op::' "$1/unsupported_ops.h"; else echo 0; fi
}

count_gaps() { # SECTION FILE
  awk -v section="$1:" '/^[a-z_]+:/ { here = $1 == section } here && /^ *- case:/ { n++ } END { print n + 0 }' "$2"
}

echo '| plugin | devices | operators of the dataset, lowered | permanently unsupported | not yet supported |'
echo '|---|---|---|---|---|'
for gaps in "$plugins"/*/gaps.yaml; do
  folder=$(dirname "$gaps")
  devices=$(sed -n 's/^devices: *\[\(.*\)\]/\1/p' "$folder/plugin.yaml")
  echo "| \`$(basename "$folder")\` | $devices | $((num_ops - $(count_unsupported "$folder"))) of $num_ops |" \
    "$(count_gaps never "$gaps") | $(count_gaps not_yet "$gaps") |"
done
