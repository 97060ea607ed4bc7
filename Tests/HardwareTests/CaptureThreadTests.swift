import Foundation
import Support
import Testing

@Suite(
  "The capture thread", .requires("RECORDER_KERNEL_CARDS"), .requiresRoot, .serialized,
  .timeLimit(.minutes(2)))
struct CaptureThreadTests {
  @Test("only waits, reads and wakes the writer: it neither allocates nor takes a lock")
  func calls() throws {
    let booth = try Booth()
    let outcome = try booth.run(
      """
      libc=$(ldd "$programs/recorder" | awk '$1 == "libc.so.6" { print $3 }')
      tracing=/sys/kernel/tracing
      mountpoint -q $tracing || mount -t tracefs tracefs $tracing
      nm -D --defined-only "$libc" | sed 's/@.*//' |
        grep -E ' (malloc|calloc|realloc|memalign|posix_memalign|free)$' |
        while read -r place _ name; do echo "p:libc/$name $libc:0x$place"; done > probes
      sort -u probes > $tracing/uprobe_events
      recorder start --json --device hw:HDA a.wav > start.json; pid=$(number pid < start.json)
      captured 1
      ls "/proc/$pid/task" > $tracing/set_event_pid
      echo 1 > $tracing/events/libc/enable
      echo 1 > $tracing/events/raw_syscalls/sys_enter/enable
      # The calls of three seconds are traced.
      sleep 3
      recorder mark > mark.txt
      echo 0 > $tracing/tracing_on
      # Of each line its thread, the function and, of the kernel's, the number.
      sed -n 's/^ *\\([^ ]*\\)-[0-9]* .*: \\([a-z_]*\\): \\(NR [0-9]*\\)\\{0,1\\}.*/\\1 \\2 \\3/p' \
        $tracing/trace | sort | uniq -c | awk '{ print $2, $3 $5, $1 }'
      echo 0 > $tracing/events/enable
      > $tracing/uprobe_events
      """)
    let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ") }
    let calls = Dictionary(grouping: lines.filter { $0.count == 3 }) { $0[0] }
      .mapValues { Dictionary($0.map { ($0[1], Int($0[2]) ?? 0) }, uniquingKeysWith: +) }
    let capture = try #require(calls["capture"], "\(outcome)")
    print("the capture thread in 3 s: \(capture)")
    // The system calls poll, ioctl and write by their x86-64 numbers, and read, which a woken
    // thread uses to clear its event.
    let allowed: Set<Substring> = ["sys_enter7", "sys_enter16", "sys_enter1", "sys_enter0"]
    #expect(Set(capture.keys).isSubset(of: allowed) && capture["sys_enter7"] != nil)
    #expect(try #require(calls["recorder"]?["malloc"]) > 0, "nothing was counted")
    #expect(try #require(calls["writer"]?["malloc"]) > 0)
  }
}
