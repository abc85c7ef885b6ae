#!/bin/bash
# graphnet submit on a Slurm cluster of three pretend nodes: an array over them gives the records of
# a run in one process, also if a node dies half-way. usage: slurm_test.sh SOURCE BUILD
# Skipped (77) where Slurm is not installed or this is not root.
set -euo pipefail
source=$1
graphnet=$2/bin/graphnet
# shellcheck source=tests/cluster/slurm_cluster.sh
. "$source/tests/cluster/slurm_cluster.sh"

reason=$(missing_for_slurm)
if [[ -n $reason ]]; then
  echo "skipped: $reason"
  exit 77
fi

scratch=$(mktemp -d)
chmod 711 "$scratch" # munged runs as a user of its own
finish() {
  local code=$?
  if ((code != 0)); then
    tail -n 15 "$scratch"/slurm/log/slurmctld "$scratch"/*/log/*.txt >&2 || true
  fi
  stop_slurm "$scratch/slurm"
  rm -rf "$scratch"
}
trap finish EXIT

fail() {
  echo "FAILED $*" >&2
  exit 1
}

# wait_until SECONDS COMMAND...
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.2
  done
}

# make_samples COUNT: small ones with names of their own.
# Half a second each: long enough to be killed half-way.
make_samples() {
  local i
  for i in $(seq "$1"); do
    mkdir -p "$scratch/samples/copies/$i"
    cp "$source"/samples/transformers-auto-model/opt-tiny-random/* "$scratch/samples/copies/$i"
  done
}

# Everything of the records but times, paths and what depends on when they were taken.
facts_of() {
  "$graphnet" report --csv --sql "SELECT sample, plugin, plugin_sha256, outcome, verdict, phase,
    task_key, attempt, json_extract(json, '\$.digest'), json_extract(json, '\$.correctness'),
    flop, argument_bytes, hardware FROM records ORDER BY sample, plugin" "$1"
}

expect_same_records() {
  local expected=$1 actual=$2
  diff <(facts_of "$expected") <(facts_of "$actual") || fail "records differ: $actual"
}

count_records() { # FILE...
  cat "$@" 2>/dev/null | grep -c '"schema":"graphnet.record/' || true
}

run_flags=(--config "$source/configs/nope.yaml" --threads 1 --protocol upstream --warmup 0
  --trials 60 --digest)

submit() { # FOLDER SHARDS
  "$graphnet" submit "$scratch/samples" "${run_flags[@]}" --shards "$2" --sbatch partition=gn \
    -o "$1" --json >"$1.json" || fail "submit"
  sed 's/.*"array_job":"\([0-9]*\)".*/\1/' "$1.json"
}

is_queue_empty() { [[ -z $(squeue -h) ]]; }

mkdir "$scratch/slurm"
start_slurm "$scratch/slurm" || fail "the cluster does not come up"
make_samples 18

echo "an array over three nodes"
"$graphnet" -q run "$scratch/samples" "${run_flags[@]}" -o "$scratch/single.jsonl" >/dev/null ||
  fail "the run in one process"
submit "$scratch/array" 6 >/dev/null
wait_until 120 is_queue_empty || fail "the array does not end"
expect_same_records "$scratch/single.jsonl" "$scratch/array/results.jsonl"
[[ $(count_records "$scratch"/array/shards/*) == 18 ]] || fail "not every sample ran once"
for node in gn1 gn2 gn3; do
  grep -q "NodeList=$node " "$scratch/slurm/log/jobs" || fail "$node ran nothing"
done

echo "a node dies half-way"
job=$(submit "$scratch/killed" 3)
task_on_second() { squeue -h -t RUNNING -w gn2 -o %K 2>/dev/null | head -n 1; }
is_second_busy() { [[ -n $(task_on_second) ]]; }
wait_until 60 is_second_busy || fail "no task on gn2"
task=$(task_on_second)
shard=$scratch/killed/shards/shard-$task.jsonl
has_begun() { (($(count_records "$shard") >= 2)); }
wait_until 60 has_begun || fail "shard $task wrote no records"
kill_node "$scratch/slurm" gn2
before=$(count_records "$shard")
((before < 6)) || fail "shard $task had ended before its node was killed"
# The controller finds out by itself after its timeouts; an administrator is quicker.
scontrol update NodeName=gn2 State=DOWN Reason=killed
is_requeued() { [[ $(squeue -h -j "${job}_$task" -t PENDING -o %K 2>/dev/null) == "$task" ]]; }
wait_until 60 is_requeued || fail "shard $task is not requeued"
# Slurm holds a requeued job for two minutes.
scontrol release "${job}_$task" && scontrol update "JobId=${job}_$task" StartTime=now
wait_until 120 is_queue_empty || fail "the requeued array does not end"
expect_same_records "$scratch/single.jsonl" "$scratch/killed/results.jsonl"
[[ $(count_records "$scratch"/killed/shards/*) == 18 ]] || fail "a sample was lost or ran twice"

echo "the same command again changes nothing"
cp "$scratch/killed/results.jsonl" "$scratch/before.jsonl"
submit "$scratch/killed" 3 >/dev/null
wait_until 120 is_queue_empty || fail "the second submission does not end"
cmp "$scratch/before.jsonl" "$scratch/killed/results.jsonl" || fail "merging again made a change"
echo "passed: $before of 6 records of shard $task were on disk when its node died"
