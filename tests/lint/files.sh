#!/usr/bin/env bash
# Rules of CONTRIBUTING.md that a script can check: sizes, names, vendor words in host/, formatting.
set -euo pipefail
cd "$1"
failed=0
complain() {
  echo "lint: $1"
  failed=1
}

mapfile -t sources < <(find host sdk plugins tests \( -name '*.cc' -o -name '*.h' -o -name '*.c' \) \
  ! -name dlpack.h | sort)
((${#sources[@]} > 50)) || complain "found only ${#sources[@]} source files in $1"
for file in "${sources[@]}"; do
  lines=$(wc -l <"$file")
  ((lines <= 500)) || complain "$file has $lines lines; split it by responsibility"
  case $(basename "$file") in
    *util* | *helper* | *common* | *manager*) complain "$file: a name that says nothing" ;;
  esac
  grep -q 'SPDX-License-Identifier: MIT' "$file" || complain "$file: no SPDX line"
done

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
owned 'openssl' '\(host/base\|sdk/artifact/file_digest.cc\)'

# shellcheck source=tests/lint/tools.sh
source tests/lint/tools.sh
if ! changes=$("$tools/clang_format/data/bin/clang-format" --dry-run --Werror "${sources[@]}" 2>&1); then
  head -20 <<<"$changes"
  complain "clang-format 14 would change these files"
fi
exit "$failed"
