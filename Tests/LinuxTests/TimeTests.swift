import Glibc
import Linux
import Support
import Testing

@Suite("Waiting and clocks")
struct TimeTests {
  @Test("An event wakes a thread that polls, once")
  func event() throws {
    let event = try Event()
    #expect(try !event.descriptor.wait(upTo: .zero))
    event.signal()
    event.signal()
    #expect(try event.descriptor.wait(upTo: .seconds(5)))
    let cleared = [event.clear(), event.clear()]
    #expect(cleared == [true, false])
  }

  @Test("Poll reports the descriptors that are ready")
  func poll() throws {
    let (quiet, loud) = (try Box(), try Box())
    loud.event.signal()
    var poll = Poll(capacity: 3)
    let places = [quiet.event.descriptor.number, loud.event.descriptor.number, -1]
    for number in places { poll.add(number) }
    #expect(try poll.wait(upTo: .seconds(5)) == 1)
    #expect(poll[0].isEmpty && poll[1] == .readable && poll[2].isEmpty)
  }

  @Test("A pipe is readable if it has data or no writer")
  func pipe() throws {
    for isEmpty in [true, false] {
      let ends = try Descriptor.pipe()
      #expect(!Poll.isReady(ends.reading.number))
      if !isEmpty { try ends.writing.writeAll("a".utf8.span) }
      _ = consume ends.writing
      // A child that another test starts has a copy of the other end until it executes its program.
      #expect(try ends.reading.wait(upTo: .seconds(5)))
      #expect(Poll.isReady(ends.reading.number))
    }
    #expect(!Poll.isReady(-1))
  }

  @Test("A poll that is interrupted by signals still waits for its whole limit")
  func interrupted() async {
    await #expect(processExitsWith: .success) {
      signal(SIGALRM) { _ in }
      let interval = timeval(tv_sec: 0, tv_usec: 5000)
      var timer = itimerval(it_interval: interval, it_value: interval)
      setitimer(__itimer_which_t(UInt32(0)), &timer, nil)
      let start = KernelClock.monotonic.now
      var poll = Poll()
      #expect(throws: Never.self) { try poll.wait(upTo: .milliseconds(100)) }
      #expect(KernelClock.monotonic.now - start >= .milliseconds(100))
    }
  }

  @Test(
    "A timer fires at its instant and again at its interval, until it is set again",
    arguments: [KernelClock.monotonic, .bootTime])
  func timer(clock: KernelClock) throws {
    let timer = try Timer(on: clock)
    let start = clock.now
    try timer.set(after: .milliseconds(20), every: .milliseconds(5))
    #expect(timer.clear() == 0)
    #expect(try timer.descriptor.wait(upTo: .seconds(5)))
    #expect(clock.now - start >= .milliseconds(20))
    #expect(timer.clear() >= 1)
    #expect(try timer.descriptor.wait(upTo: .seconds(5)))
    try timer.set(after: .seconds(60))
    #expect(try !timer.descriptor.wait(upTo: .milliseconds(20)))
    try timer.set(at: clock.now - .seconds(1))
    #expect(try timer.descriptor.wait(upTo: .seconds(5)))
    try timer.set(at: .zero - .seconds(1))
    #expect(try timer.descriptor.wait(upTo: .seconds(5)))
  }

  @Test(
    "Wall time is written and read in one form only",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1_772_355_907, "2026-03-01T09:05:07Z"),
      (4_102_444_800, "2100-01-01T00:00:00Z"),
    ])
  func wallTime(seconds: Int, text: String) {
    #expect(WallTime(sinceEpoch: .seconds(seconds)).rfc3339 == text)
    #expect(WallTime(rfc3339: text)?.sinceEpoch == .seconds(seconds))
  }

  @Test("Every day of two centuries is written and parsed, and no other day")
  func calendar() {
    // From 1970 to 2169, with the leap year 2000 and the common year 2100.
    let days = (0..<73_049).map { WallTime(sinceEpoch: .seconds($0 * 86_400 + 86_399)) }
    let texts = days.map(\.rfc3339)
    #expect(zip(days, texts).allSatisfy { WallTime(rfc3339: $1) == $0 })
    var valid: [String] = []
    for year in 1_970...2_169 {
      for month in 101...112 {
        for day in 101...131 {
          let date = "\(year)-\("\(month)".dropFirst())-\("\(day)".dropFirst())T23:59:59Z"
          if WallTime(rfc3339: date) != nil { valid.append(date) }
        }
      }
    }
    #expect(valid == texts)
  }

  @Test(
    "Other forms and impossible dates are refused",
    arguments: [
      "", "2026-02-31T00:00:00Z", "2026-03-01T09:05:07", "2026-03-01 09:05:07Z",
      "2026-3-01T09:05:07Z", "2026-03-01T09:05:07+01:00", "99999-03-01T09:05:07Z",
      "2026-00-01T09:05:07Z", "2026-13-01T09:05:07Z", "2026-03-00T09:05:07Z",
      "2026-03-01T24:05:07Z", "2026-03-01T09:60:07Z", "2026-03-01T09:05:60Z",
      "2026-03-01T0a:05:07Z", "2026-03-01T09:05:07z", "0999-03-01T09:05:07Z",
    ])
  func otherTimes(text: String) {
    #expect(WallTime(rfc3339: text) == nil)
  }

  @Test("A local time has two moments if the clock shows it twice, and none if the clock skips it")
  func localMoments() async {
    await #expect(processExitsWith: .success) {
      // The same clock, with summer time as the exception and with winter time as the exception.
      for zone in ["GMT0BST,M3.5.0/1,M10.5.0", "IST-1GMT0,M10.5.0,M3.5.0/1"] {
        setTimeZone(zone)
        for (text, moments) in [
          ("2026-01-01T12:00", ["2026-01-01T12:00:00Z"]),
          ("2026-07-01T12:00", ["2026-07-01T11:00:00Z"]),
          ("2026-03-29T00:59", ["2026-03-29T00:59:00Z"]), ("2026-03-29T01:30", []),
          ("2026-03-29T02:00", ["2026-03-29T01:00:00Z"]),
          ("2026-10-25T01:30", ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]),
          ("2026-10-25T02:00", ["2026-10-25T02:00:00Z"]), ("2026-02-31T12:00", []), ("12:00", []),
        ] as [(String, [String])] {
          #expect(WallTime.moments(local: text).map(\.rfc3339) == moments, "\(zone) \(text)")
          #expect(WallTime(local: text)?.rfc3339 == moments.first, "\(zone) \(text)")
        }
      }
    }
  }

  @Test("A long time between two checks counts only as the longest allowed time")
  func attendedTime() {
    var time = AttendedTime(since: .seconds(10), longestLook: .seconds(2))
    for second in 11...13 { time.check(at: .seconds(second)) }
    #expect(time.passed == .seconds(3))
    time.check(at: .seconds(3_600))
    #expect(time.passed == .seconds(5))
    time.check(at: .seconds(3_600) + .milliseconds(500))
    #expect(time.passed == .milliseconds(5_500))
    time.restart(at: .seconds(3_700))
    #expect(time.passed == .zero)
    time.check(at: .seconds(3_701))
    #expect(time.passed == .seconds(1))
  }

  @Test("The boot has an identifier, and the machine has one or none")
  func identity() throws {
    #expect(try HostIdentity.boot().count == 36)
    let scratch = try ScratchDirectory()
    #expect(try HostIdentity.machine(path: scratch.path("none")) == nil)
    #expect(try HostIdentity.machine(path: scratch.write("", to: "empty")) == nil)
    let digits = String(repeating: "0f", count: 16)
    #expect(try HostIdentity.machine(path: scratch.write(digits + "\n", to: "id")) == digits)
  }

  private final class Box {
    let event: Event

    init() throws { event = try Event() }
  }
}
