#!/usr/bin/env bash
# Rules of CONTRIBUTING.md that a script can check: sizes, names, vendor words in host/, formatting.
set -euo pipefail
cd "$1"
failed=0
complain() {
  echo "lint: $1"
  failed=1
}

mapfile -t sources < <(find host sdk plugins tests \( -name '*.cc' -o -name '*.h' -o -name '*.c' \) | sort)
((${#sources[@]} > 50)) || complain "found only ${#sources[@]} source files in $1"
for file in "${sources[@]}"; do
  lines=$(wc -l <"$file")
  ((lines <= 500)) || complain "$file has $lines lines; split it by responsibility"
  case $(basename "$file") in
    *util* | *helper* | *common* | *manager*) complain "$file: a name that says nothing" ;;
  esac
  grep -q 'SPDX-License-Identifier: MIT' "$file" || complain "$file: no SPDX line"
done

# A file that a comment names is in this tree; a line that names others' files says "source".
unknown=$(find host sdk plugins tests \( -name '*.h' -o -name '*.cc' \) -print | awk '
  FNR == NR { do known[$0]; while (sub(/^[^\/]*\//, "")); next }
  /source/ || !match($0, /\/\/.*/) { next }
  {
    comment = substr($0, RSTART + 2)
    while (match(comment, /[A-Za-z0-9_][A-Za-z0-9_\/]*\.(h|cc)([^A-Za-z0-9_]|$)/)) {
      name = substr(comment, RSTART, RLENGTH)
      comment = substr(comment, RSTART + RLENGTH)
      sub(/[^A-Za-z]*$/, "", name)
      if (!(name in known)) print FILENAME ":" FNR " names " name
    }
  }' - "${sources[@]}")
[[ -z $unknown ]] || complain "comments name files that are not here: $unknown"

vendors='tensorrt|pjrt|stablehlo|\btvm\b|bladedisc'
if grep -rnIiE "$vendors" host --include='*.cc' --include='*.h'; then
  complain "host/ names a vendor"
fi
# One third-party library, one owner folder.
owned() {
  local header=$1 owner=$2 hits
  hits=$(grep -rlE "#include [<\"]$header" host plugins sdk --include='*.cc' --include='*.h' |
    grep -v "^$owner" || true)
  [[ -z $hits ]] || complain "$header is included outside $owner: $hits"
}
owned 'yaml-cpp' host/runtime/config
owned 'spdlog' host/base/log.cc
owned 'boost/dll' host/runtime/plugin
owned '(ATen|c10|torch)/' host/runtime/eager
owned 'CLI/' host/cli
owned 'sqlite3' host/journal
owned 'openssl' '\(host/base\|sdk/artifact/file_digest.cc\)'

# shellcheck source=tests/lint/tools.sh
source tests/lint/tools.sh
if ! changes=$("$tools/clang_format/data/bin/clang-format" --dry-run --Werror "${sources[@]}" 2>&1); then
  head -20 <<<"$changes"
  complain "clang-format 14 would change these files"
fi
exit "$failed"
