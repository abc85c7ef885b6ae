# shellcheck shell=bash
# Wheels: pip downloads what a requirements file pins, the members that are needed are unpacked
# into one tree per requirements file. Part of host/setup.sh.
#
# Layout below the cache folder, <sha> being the sha256 of the requirements file:
#   <sha>/         the tree; it appears by one rename, so it is complete if it is there
#   <sha>.wheels/  downloaded wheels, deleted once the tree is there; a wheel that is complete
#                  is used again after a kill
#   <sha>.part/, <sha>.tmp/  unpacking and downloading at work; deleted at the next start

# The wheels' own tags; which file it is in the end is decided by the hash.
readonly wheel_tags=(--python-version 3.11 --implementation cp --abi cp311 --abi abi3 --abi none
  --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64
  --platform manylinux_2_25_x86_64 --platform manylinux_2_17_x86_64
  --platform manylinux2014_x86_64 --platform any)

# requirement_setting FILE KEY: values of the "#: KEY VALUE" lines, one per line.
requirement_setting() { sed -n "s/^#: $2  *\(.*[^ ]\) *\$/\1/p" "$1"; }

# requirement_names FILE: what is pinned, on one line.
requirement_names() { sed -n 's/^\([A-Za-z0-9._-]*==[^ \\]*\).*/\1/p' "$1" | paste -sd' ' -; }

tree_of() {
  local sum
  sum=$(sha256sum "$1")
  echo "$setup_cache/${sum%% *}"
}

# linked_cache: the folder that .deps names, if it holds a tree.
linked_cache() {
  local folder tree
  # shellcheck disable=SC2154 # by setup_open, where there is a source tree
  folder=$(readlink -e "$setup_root/.deps") || return 0
  tree=$(find "$folder" -mindepth 1 -maxdepth 1 -type d ! -name '*.*' -print -quit)
  [[ -z $tree ]] || echo "$folder"
}

host_requirements() { echo "$setup_root/host/requirements.txt"; }

# torch_folder: the folder that holds torch/ and nvidia/.
torch_folder() {
  if [[ -n ${GRAPHNET_TORCH:-} ]]; then
    realpath -m "$GRAPHNET_TORCH"
  else
    tree_of "$(host_requirements)"
  fi
}

# requirement_files PLUGIN...: files that pin something, for the host and the plugins, that need a
# tree of ours.
requirement_files() {
  local file plugin files=()
  [[ -n ${GRAPHNET_TORCH:-} ]] || files+=("$(host_requirements)")
  for plugin in "$@"; do files+=("$setup_root/plugins/$plugin/requirements.txt"); done
  for file in "${files[@]}"; do
    [[ -f $file && -n $(requirement_names "$file") ]] && echo "$file"
  done
  return 0
}

# missing_trees PLUGIN...: requirement files whose tree is not there.
missing_trees() {
  local file
  while read -r file; do
    [[ -d $(tree_of "$file") ]] || echo "$file"
  done < <(requirement_files "$@")
}

# missing_test_trees: the same for the tools of the checks and for what tests are run with; none
# unless setup_for_tests is set.
missing_test_trees() {
  local file
  [[ -n $setup_for_tests ]] || return 0
  for file in "$setup_root"/tests/requirements.txt "$setup_root"/tests/unit/*/requirements.txt; do
    [[ ! -f $file || -d $(tree_of "$file") ]] || echo "$file"
  done
}

require_given_torch() {
  [[ -n ${GRAPHNET_TORCH:-} ]] || return 0
  local part
  for part in torch/lib/libtorch_cpu.so torch/include nvidia; do
    [[ -e $(torch_folder)/$part ]] || fail 5 "GRAPHNET_TORCH names no libtorch" \
      "$(torch_folder)/$part does not exist" \
      "unset GRAPHNET_TORCH to have it downloaded, or name a folder with torch/ and nvidia/"
  done
}

# In .deps the build finds every tree, whatever the cache folder of the user is.
link_deps() {
  local link=$setup_root/.deps
  if [[ -e $link && ! -L $link ]]; then
    fail 5 "$link is not a symbolic link" "set-up links it to $setup_cache" "remove it"
  fi
  [[ $(readlink "$link" || true) != "$setup_cache" ]] || return 0
  # ln -sfn would remove before it makes; a build at work must never miss the link.
  ln -sn "$setup_cache" "$link.new.$$"
  mv -T "$link.new.$$" "$link"
}

folder_mb() { du -sm "$@" 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }'; }

# progress_mb TOTAL FOLDER...: "120 of 544 MB". Never above the total: pip copies at the end.
progress_mb() {
  local total=$1 now
  shift
  now=$(folder_mb "$@")
  if [[ -z $total ]]; then
    echo "$now MB"
  else
    echo "$((now < total ? now : total)) of $total MB"
  fi
}

describe_download() {
  echo "downloading $(progress_mb "$fetch_mb" "$fetch_tree.wheels" "$fetch_tree.tmp")"
}

describe_unpack() { echo "unpacking $(progress_mb "$fetch_disk" "$fetch_tree.part")"; }

# download_wheels FILE. Without pip's own cache, which would keep a second copy of half a gigabyte;
# its temporary files go beside the target, because /tmp is often small.
download_wheels() {
  mkdir -p "$fetch_tree.wheels" "$fetch_tree.tmp"
  TMPDIR=$fetch_tree.tmp PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    watch_command describe_download "${pip_command[@]}" download --no-deps --require-hashes \
    --only-binary=:all: "${wheel_tags[@]}" --no-cache-dir --no-input --progress-bar off \
    --dest "$fetch_tree.wheels" -r "$1"
}

# unpack_wheels FILE
unpack_wheels() {
  local wheel pattern status patterns=()
  mapfile -t patterns < <(requirement_setting "$1" unpack)
  mkdir "$fetch_tree.part"
  for wheel in "$fetch_tree.wheels"/*.whl; do
    status=0
    watch_command describe_unpack unzip -q -o "$wheel" "${patterns[@]}" -d "$fetch_tree.part" ||
      status=$?
    # 11: some pattern has no match in this wheel; whether one has none at all is seen below.
    ((status == 0 || status == 11)) || return 1
  done
  for pattern in "${patterns[@]}"; do
    compgen -G "$fetch_tree.part/$pattern" >/dev/null && continue
    echo "graphnet: no wheel has a member $pattern" >>"$setup_log"
    return 1
  done
}

# make_tree FILE: makes the tree of a requirements file, or complains and returns 1.
make_tree() {
  fetch_tree=$(tree_of "$1")
  fetch_names=$(requirement_names "$1")
  fetch_mb=$(requirement_setting "$1" download-mb)
  fetch_disk=$(requirement_setting "$1" disk-mb)
  rm -rf "$fetch_tree.part" "$fetch_tree.tmp"
  say "downloading $fetch_names (${fetch_mb:-?} MB)"
  if ! download_wheels "$1"; then
    show_log_tail
    complain "wheels could not be downloaded" "pip failed on $1, see above" \
      "check the network and pip's proxy and index settings, then the same command again"
    return 1
  fi
  if ! unpack_wheels "$1"; then
    rm -rf "$fetch_tree.part" "$fetch_tree.wheels"
    show_log_tail
    complain "wheels could not be unpacked" "unzip failed on the wheels of $1, see above" \
      "the same command again (it downloads them anew)"
    return 1
  fi
  mv -T "$fetch_tree.part" "$fetch_tree"
  rm -rf "$fetch_tree.wheels" "$fetch_tree.tmp"
  say "unpacked into $fetch_tree ($(folder_mb "$fetch_tree") MB); the downloaded wheels are deleted"
}
