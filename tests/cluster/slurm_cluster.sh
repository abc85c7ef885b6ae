# shellcheck shell=bash
# A Slurm cluster of three pretend nodes on this machine, for tests: sourced, needs root. It has a
# folder of its own with its own munge key and socket, its own ports and state; nothing in /etc is
# read or written.

# missing_for_slurm: why there can be no cluster here, or nothing.
missing_for_slurm() {
  local tool
  for tool in sbatch slurmctld slurmd munged runuser; do
    PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null && continue
    echo "there is no $tool (apt-get install slurm-wlm munge)"
    return
  done
  if [[ $(id -u) != 0 ]]; then echo "starting Slurm's daemons takes root"; fi
}

free_port() {
  local port
  for port in $(shuf -i 20000-60000 -n 50); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

write_slurm_conf() { # FOLDER
  cat >"$1/slurm.conf" <<CONF
ClusterName=gn
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$1/socket/munge
CredType=cred/munge
SlurmctldPort=$(free_port)
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool-%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd-%n.pid
SlurmctldLogFile=$1/log/slurmctld
SlurmdLogFile=$1/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$1/log/jobs
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
InactiveLimit=0
KillWait=2
NodeName=gn[1-3] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$2-$(($2 + 2))] CPUs=1 RealMemory=1000 State=UNKNOWN
PartitionName=gn Nodes=gn[1-3] Default=YES MaxTime=INFINITE State=UP
CONF
}

start_munge() { # FOLDER
  mkdir -p "$1/munge" "$1/socket"
  dd if=/dev/urandom of="$1/munge/key" bs=1 count=1024 2>/dev/null
  chmod 400 "$1/munge/key"
  chmod 700 "$1/munge"
  chown -R munge:munge "$1/munge" "$1/socket"
  runuser -u munge -- munged --key-file="$1/munge/key" --socket="$1/socket/munge" \
    --pid-file="$1/munge/pid" --log-file="$1/munge/log" --seed-file="$1/munge/seed" --force \
    2>"$1/log/munged"
}

# start_node FOLDER NAME
start_node() {
  mkdir -p "$1/spool-$2"
  slurmd -f "$1/slurm.conf" -N "$2"
}

# start_slurm FOLDER: returns 1 with the logs on standard error if the nodes do not come up.
start_slurm() {
  local node
  PATH=$PATH:/usr/sbin
  export SLURM_CONF=$1/slurm.conf
  chmod 755 "$1"
  mkdir -p "$1/state" "$1/log"
  write_slurm_conf "$1" "$(free_port)"
  if start_munge "$1" && slurmctld -f "$SLURM_CONF"; then
    for node in gn1 gn2 gn3; do start_node "$1" "$node"; done
    SECONDS=0
    until [[ $(sinfo -h -o '%D %T' 2>/dev/null) == '3 idle' ]] || ((SECONDS > 20)); do sleep 0.1; done
    ((SECONDS > 20)) || return 0
  fi
  tail -n 5 "$1"/log/* >&2
  return 1
}

# processes_of FOLDER [NODE]: those that run in jobs, on any node or on one.
processes_of() {
  local environment
  for environment in /proc/[0-9]*/environ; do
    { tr '\0' '\n' <"$environment"; } 2>/dev/null |
      awk -v conf="SLURM_CONF=$1/slurm.conf" -v node="SLURMD_NODENAME=${2:-}" '
        $0 == conf { is_ours = 1 }
        index($0, node) == 1 { is_node = 1 }
        END { exit !(is_ours && is_node) }' && echo "${environment//[^0-9]/}"
  done
}

# kill_node FOLDER NODE: as if its plug had been pulled: daemon, step daemons and jobs at once.
kill_node() {
  local pid parent victims
  victims=$(cat "$1/slurmd-$2.pid")
  for pid in $(processes_of "$1" "$2"); do
    parent=$(awk '{ print $4 }' "/proc/$pid/stat" 2>/dev/null) || continue
    [[ $(cat "/proc/$parent/comm" 2>/dev/null) == slurmstepd ]] && victims+=" $parent"
    victims+=" $pid"
  done
  # shellcheck disable=SC2086
  kill -KILL $victims 2>/dev/null || true
}

# stop_slurm FOLDER: whatever state it is in.
stop_slurm() {
  local file pid
  for pid in $(processes_of "$1"); do kill -KILL "$pid" 2>/dev/null || true; done
  for file in "$1"/*.pid "$1/munge/pid"; do
    [[ -s $file ]] || continue
    pid=$(cat "$file")
    kill -TERM "$pid" 2>/dev/null || true
    for _ in $(seq 30); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
  done
}
