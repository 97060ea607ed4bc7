internal import Control
internal import JSON
internal import Linux
internal import Store

/// The status of every session of this user, updated by events.
final class StatusWatch {
  /// A session whose events are read.
  private final class Source {
    let name: String
    var client: ControlClient
    var status: RecordingStatus?
    var isOpen = true

    init?(_ name: SessionName, among sessions: SessionClient) {
      guard
        var client = try? sessions.connect(to: name, waitingUpTo: .milliseconds(200)),
        let answer = try? client.ask(SessionVerb.watch.rawValue)
      else { return nil }
      self.name = name.text
      self.client = client
      status = RecordingStatus(json: .object(answer))
    }

    /// Reads all waiting events and keeps the last one.
    func take() {
      do throws(ControlError) {
        while true {
          let event = try client.nextEvent(waitingUpTo: .zero)
          status = RecordingStatus(json: .object(event)) ?? status
        }
      } catch {
        isOpen = error == .timedOut
      }
    }
  }

  private let sessions: SessionClient
  private let screen: WatchScreen?
  private var sources: [Source] = []
  private var listed: StatusReport
  private var nextLook = Duration.zero

  /// The interval between searches for new sessions.
  private static let pace = Duration.seconds(1)
  /// The time for which events are collected before they are shown.
  private static let blink = Duration.milliseconds(100)

  /// - Parameter screen: the screen, or nil if there is none. Its keys and signals also end the
  ///   wait in `next`.
  init(_ sessions: SessionClient, _ screen: WatchScreen?) {
    self.screen = screen
    self.sessions = sessions
    listed = StatusReport(recordings: [])
  }

  /// Waits for a change since the last call, and returns the status of every session.
  func next() throws(SystemError) -> StatusReport {
    if !sources.isEmpty { try rest() }
    try wait(until: nextLook)
    for source in sources { source.take() }
    let hasLost = sources.contains { !$0.isOpen }
    sources.removeAll { !$0.isOpen }
    if hasLost || nextLook <= KernelClock.monotonic.now { refresh() }
    var report = listed
    report.recordings = sources.compactMap(\.status)
    return report
  }

  /// Waits while events are collected. A key or a signal ends the wait.
  private func rest() throws(SystemError) {
    var poll = Poll(capacity: 2)
    for number in screen?.numbers ?? [] { poll.add(number) }
    try poll.wait(upTo: Self.blink)
  }

  private func wait(until deadline: Duration) throws(SystemError) {
    var poll = Poll(capacity: sources.count + 2)
    for source in sources { poll.add(source.client.number) }
    for number in screen?.numbers ?? [] { poll.add(number) }
    try poll.wait(upTo: max(.zero, deadline - KernelClock.monotonic.now))
  }

  /// Finds new sessions, and sessions whose events cannot be read.
  private func refresh() {
    nextLook = KernelClock.monotonic.now + Self.pace
    listed = StatusReport(recordings: [])
    sessions.store.announcements.addTakes()
    sessions.addCrashed(to: &listed)
    listed.distant = sessions.store.sessions.distant
    listed.deliveries = (try? sessions.store.deliveries()) ?? []
    for record in sessions.store.sessions.records {
      guard let name = SessionName(record.name), !sources.map(\.name).contains(name: name.text)
      else { continue }
      if let source = Source(name, among: sessions) {
        sources.append(source)
      } else if sessions.store.sessions.isLive(name),
        sessions.store.sessions.record(of: name) == record
      {
        listed.add(unreachable: record, sessions.store.sessions.location(of: record))
      }
    }
    let followed = Set(sources.compactMap(\.status?.identifier))
    listed.distant.removeAll { followed.contains($0.record.identifier) }
    sources.sort { $0.name < $1.name }
    if sources.isEmpty, listed.isEmpty { listed.lately = sessions.lately() }
  }
}

/// The page of `status --watch`: a view of each recording, with held peaks.
struct StatusPage {
  private var holds: [Path: PeakHold] = [:]

  /// Returns the page of a report.
  ///
  /// - Parameter now: a time on the monotonic clock.
  mutating func page(_ report: StatusReport, at now: Duration) -> LivePage {
    let present = Set(names: report.recordings.map(\.identifier))
    holds = holds.filter { present.contains($0.key) }
    var page = LivePage(views: [], nothing: "Nothing is being recorded.")
    for status in report.recordings {
      let key = Path(status.identifier)
      holds[key, default: PeakHold()].hold(status.meters, at: now)
      let hold = holds[key] ?? PeakHold()
      page.views.append(LiveView(status, hold))
      page.notes += status.warnings.map { "\(printable(status.name)): warning: \(printable($0))" }
    }
    var rest = report
    rest.recordings = []
    guard !rest.isEmpty || rest.lately != nil else { return page }
    page.notes += rest.text(.plain).split(separator: "\n").map(String.init)
    return page
  }
}
