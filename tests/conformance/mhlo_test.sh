#!/usr/bin/env bash
# MHLO of every conformance case, as plugin bladedisc prints it (the interpreter prints and keeps it).
#
#   mhlo_test.sh goldens BUILD          those in tests/golden/mhlo are as they were; together they
#                                       hold every operation that any case is printed with
#   mhlo_test.sh parsed BUILD TREE      all parse and verify; TREE: tests/unit/bladedisc/requirements.txt
#
# GN_UPDATE_GOLDENS=1 writes the goldens.
set -euo pipefail
what=$1
build=$2
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..
goldens=$root/tests/golden/mhlo
if [[ $what == parsed ]]; then
  if [[ ! -d $3/jaxlib/mlir ]] || ! command -v python3.11 >/dev/null; then
    echo "no MHLO of 2023 in $3, or no python3.11: tests/run fetches the former"
    exit 77
  fi
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/texts"
"$build/bin/conformance" --plugin "$build/tests/plugins/interpreter" --option legalize=bladedisc \
  --option "texts=$folder/texts" >"$folder/log" 2>&1 || {
  grep -A2 -E '^(FAIL|XPASS|WRONG|ERROR)' "$folder/log" | head -20
  tail -5 "$folder/log"
  exit 1
}
if [[ $what == parsed ]]; then
  python3.11 "$root/tests/unit/bladedisc/parse_mhlo.py" "$3" "$folder/texts"
  exit
fi
operations() { grep -ohE '"?(mhlo|chlo)\.[a-z_]+"?[ (]' "$@" | tr -d '"( ' | sort -u; }
status=0
for golden in "$goldens"/*.mlir; do
  if [[ -n ${GN_UPDATE_GOLDENS:-} ]]; then
    cp "$folder/texts/$(basename "$golden")" "$golden"
  elif ! diff -u "$golden" "$folder/texts/$(basename "$golden")"; then
    status=1
  fi
done
missing=$(comm -13 <(operations "$goldens"/*.mlir) <(operations "$folder"/texts/*.mlir))
if [[ -n $missing ]]; then
  echo "no golden in $goldens has: $missing"
  status=1
fi
((status == 0)) || echo "GN_UPDATE_GOLDENS=1 accepts changes"
exit "$status"
