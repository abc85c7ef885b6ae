# shellcheck shell=bash
# Where the pinned tools are. Sourced in the root of the source tree.
tools=$(sha256sum tests/requirements.txt)
tools=.deps/${tools%% *}
if [[ ! -d $tools ]]; then
  echo "lint: the tools of tests/requirements.txt are not in $tools; tests/run fetches them"
  exit 1
fi
