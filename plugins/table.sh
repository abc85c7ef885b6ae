#!/usr/bin/env bash
# Prints the README's table of what each compiler's plugin covers, from its manifest and its gaps. tests/lint/plugin_table.sh holds the README to it.
#
#   plugins/table.sh
set -euo pipefail
plugins=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cases=$(cd "$plugins/../sdk/conformance/cases" && for file in */*.gir; do echo "${file%.gir}"; done | grep -v '^chains/')
num_ops=$(wc -l <<<"$cases")

# count_unsupported GAPS: operators all of whose cases are gaps, as FAMILY/OPERATOR/* or FAMILY/*.
count_unsupported() {
  local patterns operator count=0
  patterns=$(sed -n 's/^ *- case: *"\{0,1\}\([^"]*\)"\{0,1\} *$/\1/p' "$1")
  for operator in $cases; do
    if grep -qxF -e "$operator/*" -e "${operator%%/*}/*" <<<"$patterns"; then count=$((count + 1)); fi
  done
  echo "$count"
}

count_gaps() { # SECTION FILE
  awk -v section="$1:" '/^[a-z_]+:/ { here = $1 == section } here && /^ *- case:/ { n++ } END { print n + 0 }' "$2"
}

echo '| plugin | devices | operators of the dataset, compiled | permanently unsupported | not yet supported |'
echo '|---|---|---|---|---|'
for gaps in "$plugins"/*/gaps.yaml; do
  folder=$(dirname "$gaps")
  devices=$(sed -n 's/^devices: *\[\(.*\)\]/\1/p' "$folder/plugin.yaml")
  echo "| \`$(basename "$folder")\` | $devices | $((num_ops - $(count_unsupported "$gaps"))) of $num_ops |" \
    "$(count_gaps never "$gaps") | $(count_gaps not_yet "$gaps") |"
done
