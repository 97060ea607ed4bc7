/// Functions for every script:
///
/// - `await COMMAND…` polls a command, or a line of shell if it is one argument. After `$limit`, or
///   30 s, it ends the script with 99.
/// - `ended PID…` waits until no thread of these processes is alive. Until then they hold their
///   locks.
/// - `captured [+]SECONDS [NAME]` waits until a recording has captured that much, or that much
///   more.
/// - `waited PID` prints the longest time, in nanoseconds, that one of its threads was ready but
///   had no processor.
/// - `over` waits until nothing is being recorded.
/// - `stuck [NAME]` waits until a recording that has captured something captures no more.
/// - `moment SECONDS` waits for the moment at which the test acts. The test often chooses it at
///   random.
/// - `halted PID SECONDS` stops a process for a time, and continues it.
/// - `number KEY` prints the last number of that key in the JSON that it reads.
///
/// A shell that a script starts gets them with `eval "$functions"`.
package let shellFunctions = #"""
  await() {
    read -r await_now await_rest < /proc/uptime; await_end=$((${await_now%.*} + ${limit:-30}))
    until if [ $# = 1 ]; then eval "$1"; else "$@"; fi; do
      read -r await_now await_rest < /proc/uptime
      [ "${await_now%.*}" -lt $await_end ] || { echo "this did not come true: $*" >&2; exit 99; }
      sleep 0.03
    done
  }
  ended() { for process; do await "! grep -qs '^State:.[^XZ]' /proc/$process/task/*/status"; done; }
  number() { sed -n 's/.*"'"$1"'": *\([0-9][0-9]*\).*/\1/p' | tail -n 1; }
  frames() {
    "$recorder" status --json | sed 's/{"id"/\n&/g' | grep "\"name\":\"$1" | number captured
  }
  has_captured() {
    awk -v least="$1" -v from="${3:-0}" -v frames="$(frames "${2:-}")" \
      'BEGIN { exit !(frames - from >= least * 48000) }'
  }
  captured() {
    case $1 in
      +*) await has_captured "${1#+}" "${2:-}" "$(frames "${2:-}")" ;;
      *) await has_captured "$@" ;;
    esac
  }
  waited() { awk '$2 > most { most = $2 } END { print most + 0 }' /proc/$1/task/*/schedstat; }
  is_stuck() {
    stuck_at=$(frames "$1"); sleep 0.5
    [ "${stuck_at:-0}" -gt 0 ] && [ "$stuck_at" = "$(frames "$1")" ]
  }
  stuck() { await is_stuck "${1:-}"; }
  moment() { sleep "$1"; }
  halted() { kill -STOP "$1"; sleep "$2"; kill -CONT "$1"; }
  over() { await '"$recorder" status --json | grep -qF "\"recordings\":[]"'; }

  """#
