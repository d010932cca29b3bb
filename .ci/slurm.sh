#!/usr/bin/env bash
# A Slurm cluster of one machine for the tests of sweep's executor: `slurm.sh start`, `stop`, `status`, `conf`.
# Nothing is installed: it wants munge and slurm-wlm (Debian) and root. Starting twice, or stopping twice, does no harm. Config, key,
# sockets and logs lie in one temporary folder; another Slurm or munge of this machine is not touched. Whoever uses the cluster sets
# SLURM_CONF as `slurm.sh conf` prints it.
#
# Two partitions share the node's two CPUs: "debug", and "urgent", whose jobs pre-empt those of "debug" (they are requeued after
# ten seconds' grace).
set -euo pipefail

state=/tmp/gfncp-slurm
config=$state/slurm.conf
socket=$state/munge.socket
host=$(hostname -s)
export SLURM_CONF=$config

fail() {
  echo "slurm.sh: $*" >&2
  for log in munged.log slurmctld.log slurmd.log; do
    [ -s "$state/$log" ] || continue
    echo "--- $state/$log" >&2
    tail -n 20 "$state/$log" >&2
  done
  exit 1
}

# within SECONDS COMMAND…: waits until the command succeeds.
within() {
  local left=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 0.2
  done
}

# alive NAME: the daemon whose pid file the state holds runs.
alive() {
  local pid
  pid=$(cat "$state/$1.pid" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ]
}

check() {
  [ "$(id -u)" = 0 ] || fail "start it as root"
  local program
  for program in munged munge slurmctld slurmd sinfo; do
    command -v "$program" >/dev/null || fail "$program is missing: apt-get install slurm-wlm munge"
  done
}

configure() {
  local memory
  memory=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
  mkdir -p "$state/ctld" "$state/d"
  cat >"$config" <<END
ClusterName=gfncp
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A requeued job waits for as long as a credential lives, by default two minutes; 5 s is the least.
AuthInfo=socket=$socket,cred_expire=5
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/d
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=5,batch_sched_delay=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
ReturnToService=2
InactiveLimit=30
KillWait=10
MinJobAge=30
SlurmctldTimeout=30
SlurmdTimeout=30
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=$memory State=UNKNOWN
PartitionName=debug Nodes=$host Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=10 DefMemPerCPU=512
PartitionName=urgent Nodes=$host MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF DefMemPerCPU=512
END
}

start_munge() {
  alive munged && return
  [ -s "$state/munge.key" ] || mungekey --keyfile "$state/munge.key" || fail "mungekey cannot make $state/munge.key"
  munged --force --key-file="$state/munge.key" --socket="$socket" --seed-file="$state/munge.seed" \
    --pid-file="$state/munged.pid" --log-file="$state/munged.log" || fail "munged does not start"
}

answers() { munge --socket="$socket" -n </dev/null | unmunge --socket="$socket"; }
ready() { [ "$(sinfo -h -p debug -o %T)" = idle ] || [ "$(sinfo -h -p debug -o %T)" = mixed ] || [ "$(sinfo -h -p debug -o %T)" = allocated ]; }

start() {
  check
  if alive slurmctld && alive slurmd && ready 2>/dev/null; then
    echo "slurm.sh: already running"
    return
  fi
  configure
  start_munge
  within 10 answers || fail "munge does not answer"
  alive slurmctld || slurmctld -i || fail "slurmctld does not start"
  alive slurmd || slurmd || fail "slurmd does not start"
  within 60 ready || fail "the node does not come up: $(sinfo -N -o '%N %T %E' 2>&1)"
  echo "slurm.sh: $(sinfo --version) on $host; config $config, state and logs in $state"
}

stop() {
  [ "$(id -u)" = 0 ] || fail "stop it as root"
  local name pid
  if alive slurmctld; then
    scancel --state=RUNNING --state=PENDING --state=SUSPENDED 2>/dev/null || true
    within 20 sh -c '[ -z "$(squeue -h)" ]' || true
  fi
  for name in slurmd slurmctld munged; do
    alive "$name" || continue
    pid=$(cat "$state/$name.pid")
    kill "$pid"
    if ! within 20 sh -c "! kill -0 $pid"; then
      fail "$name does not end"
    fi
  done
  rm -rf "$state"
  echo "slurm.sh: stopped"
}

case "${1:-}" in
start) start ;;
stop) stop ;;
status) sinfo -N -l && squeue ;;
conf) echo "$config" ;;
*)
  echo "slurm.sh: say start, stop, status or conf" >&2
  exit 2
  ;;
esac
