# shellcheck shell=bash
# Sourced by the scripts beside it: where things are kept, one run at a time, packages, step times.

CI_CACHE=${EUREKA_TCK_CI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/eureka-tck/ci}
mkdir -p "$CI_CACHE"

# Two runs at once: the second waits, then finds everything there. The descriptor 9 is inherited by
# the scripts that a script calls, which then find the lock held for them.
if [ -z "${EUREKA_TCK_CI_LOCKED:-}" ]; then
  exec 9>"$CI_CACHE/lock"
  flock --timeout 1800 9 || { echo "another run has held $CI_CACHE/lock for half an hour" >&2; exit 1; }
  export EUREKA_TCK_CI_LOCKED=1
fi

# need COMMAND PACKAGE…: install the packages unless the command is there.
need() {
  command -v "$1" >/dev/null && return
  shift
  install_packages "$@"
}

install_packages() {
  local apt=(apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq) log=$CI_CACHE/apt.log
  export DEBIAN_FRONTEND=noninteractive
  # once with the lists that are there, once more with fresh ones
  "${apt[@]}" install -y --no-install-recommends "$@" >"$log" 2>&1 && return
  "${apt[@]}" update >>"$log" 2>&1
  "${apt[@]}" install -y --no-install-recommends "$@" >>"$log" 2>&1 && return
  echo "apt-get install $* failed; the end of $log:" >&2
  tail -20 "$log" >&2
  return 1
}

# step NAME COMMAND…: run it, print how long it took; its failure ends the script.
step() {
  local name=$1 began=$SECONDS
  shift
  echo "[ci] $name …"
  "$@" || { local code=$?; echo "[ci] $name: failed with exit code $code after $((SECONDS - began)) s"; exit "$code"; }
  echo "[ci] $name: $((SECONDS - began)) s"
}
