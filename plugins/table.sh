#!/usr/bin/env bash
# Prints the README's table of what each compiler's plugin covers, from its manifest, operator table
# and gaps. tests/lint/plugin_table.sh holds the README to it.
#
#   plugins/table.sh
set -euo pipefail
plugins=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
num_ops=$(grep -c '^GN_OP(' "$plugins/../sdk/lowering/ops.def")

count_rows() { grep -c "^ *$1(Op::" "$2" || true; }

count_gaps() { # SECTION FILE
  awk -v section="$1:" '/^[a-z_]+:/ { here = $1 == section } here && /^ *- case:/ { n++ } END { print n + 0 }' "$2"
}

echo '| plugin | devices | operators of the dataset, lowered | natively | by decomposition | gaps for good | gaps not closed yet |'
echo '|---|---|---|---|---|---|---|'
for table in "$plugins"/*/op_table.cc; do
  folder=$(dirname "$table")
  native=$(count_rows native "$table")
  decomposed=$(count_rows decompose "$table")
  refused=$(count_rows unsupported "$table")
  if ((native + decomposed + refused != num_ops)); then
    echo "$table: $((native + decomposed + refused)) rows for $num_ops operators" >&2
    exit 1
  fi
  devices=$(sed -n 's/^devices: *\[\(.*\)\]/\1/p' "$folder/plugin.yaml")
  echo "| \`$(basename "$folder")\` | $devices | $((native + decomposed)) of $num_ops | $native | $decomposed |" \
    "$(count_gaps never "$folder/gaps.yaml") | $(count_gaps not_yet "$folder/gaps.yaml") |"
done
