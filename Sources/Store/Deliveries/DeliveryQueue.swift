package import Control
internal import Digest
package import JSON
package import Linux

/// The state of a series' deliveries beside the list of takes, a file in `deliveries/`.
package struct DeliveryLane: Hashable, Sendable {
  /// The path that all files of the series share.
  package let series: String
  /// The number of attempts in a row that failed.
  package var failures = 0
  /// The reason of the last failed attempt; nil after a success.
  package var error: String?
  /// The moment since 1970 of the first of the failures.
  package var failingSince: Duration?
  /// Files that were not there at their turn, the oldest first; they are delivered if they come back.
  package var missing: [RecordingResult] = []
  /// The number of files that retention deleted while they waited.
  package var deleted = 0
  /// The offset in the list of takes before which nothing of the series waits.
  var firstListed: Int64 = 0
  /// The digest of the beginning of the list of takes that the offset is in; an inode would be used
  /// again for a list that is made anew.
  var list: String?
  /// The offset in the journal before which nothing is said of the files behind `firstListed`.
  var firstTold: Int64 = 0

  init(series: String) { self.series = series }

  /// Counts an attempt that failed.
  package mutating func fail(_ words: String) {
    if failures == 0 { failingSince = KernelClock.realTime.now }
    failures += 1
    error = words
  }

  /// Forgets the failures.
  package mutating func succeed() { (failures, error, failingSince) = (0, nil, nil) }
}

extension DeliveryLane: JSONConvertible {
  /// Reads what `json` wrote; nil without a series.
  package init?(json: JSONValue) {
    guard let series = json["series"]?.string else { return nil }
    self.series = series
    failures = json["failures"]?.integer(in: .counts) ?? 0
    list = json["list"]?.string
    error = json["error"]?.string
    failingSince = json["failingSince"].flatMap { Duration(moment: $0) }
    missing = json["missing"].flatMap { [RecordingResult](json: $0) } ?? []
    deleted = json["deleted"]?.integer(in: .counts) ?? 0
    firstListed = json["firstListed"]?.integer(in: .sizes) ?? 0
    firstTold = json["firstTold"]?.integer(in: .sizes) ?? 0
  }

  /// The content of the file.
  package var json: JSONValue {
    var members: JSONObject = ["series": series.json]
    members.set("failures", failures)
    members.set("error", error)
    members["failingSince"] = failingSince?.moment
    members["missing"] = .array(missing.map(\.json))
    members.set("deleted", deleted)
    members.set("firstListed", firstListed)
    members.set("list", list)
    members.set("firstTold", firstTold)
    return .object(members)
  }
}

/// The files of a series that wait for their delivery.
///
/// The list of takes is the queue: every file in it that has a delivery, and no line in the journal of
/// deliveries, waits. So a file waits from the moment at which it is listed, whoever listed it.
package struct DeliveryQueue: Hashable, Sendable {
  /// The state of the series.
  package let lane: DeliveryLane
  /// The files that wait, in the order of their delivery.
  package let waiting: [RecordingResult]
  fileprivate let firstListed: Int64
  fileprivate let firstTold: Int64

  /// The files that were not delivered yet, those that were gone at their turn included.
  package var files: [RecordingResult] { lane.missing + waiting }

  /// The program that delivers them: that of the newest, because programs are moved.
  package var program: String? { files.last?.delivery?.program }

  /// True where nothing waits and nothing is amiss.
  package var isIdle: Bool { waiting.isEmpty && lane.missing.isEmpty && lane.failures == 0 }

  /// The moment since 1970 at which the sound of the oldest file that waits ended.
  package var oldest: Duration? { waiting.first.map { $0.began + $0.duration } }

  init(_ lane: DeliveryLane, _ takes: ListLines, _ journal: ListLines) {
    self.lane = lane
    let outcomes = journal.lines.compactMap { line in
      line.json.flatMap(DeliveryOutcome.init(json:)).map { (line.start, $0.file) }
    }
    let ended = Set(outcomes.map(\.1))
    let files = takes.lines.compactMap { line -> (start: Int64, take: RecordingResult)? in
      guard line.bytes.place(of: Self.needle) != nil,
        let take = line.json.flatMap(RecordingResult.init(json:)),
        take.delivery?.series.isSameName(as: lane.series) == true
      else { return nil }
      return (line.start, take)
    }
    let first = files.first { DeliveredFile($0.take).map { !ended.contains($0) } ?? false }
    firstListed = first?.start ?? takes.end
    var seen: Set<DeliveredFile> = []
    let rest = files.drop { $0.start < (first?.start ?? .max) }
    waiting = rest.compactMap { _, take in
      guard let file = DeliveredFile(take), !ended.contains(file), seen.insert(file).inserted
      else { return nil }
      return take
    }
    let later = Set(rest.compactMap { DeliveredFile($0.take) })
    firstTold = outcomes.first { later.contains($0.1) }?.0 ?? journal.end
  }

  private static let needle = Array("\"\(DeliveryPlan.key)\":".utf8)
}

/// The whole lines of a list from an offset on.
struct ListLines: Equatable {
  struct Line: Equatable {
    let start: Int64
    let bytes: [UInt8]

    var json: JSONValue? {
      try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: SessionStore.largest))
    }
  }

  private(set) var lines: [Line] = []
  /// The offset behind the last whole line.
  private(set) var end: Int64

  init(_ bytes: [UInt8], from start: Int64) {
    end = start
    var rest = bytes[...]
    while let place = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Line(start: end, bytes: Array(rest[..<place])))
      end += Int64(place - rest.startIndex + 1)
      rest = rest[(place + 1)...]
    }
  }
}

extension SessionStore {
  /// The deliveries of all series of this machine; throws where it cannot be said what waits.
  package func deliveries() throws(DirectoryRefusal) -> [DeliveryQueue] {
    guard try existing(paths.state) != nil, let directory = try existing(paths.deliveries) else {
      return []
    }
    do throws(SystemError) {
      let names = try directory.names().filter { $0.ends(with: ".json") && !$0.begins(with: ".") }
      var queues: [DeliveryQueue] = []
      for name in names.sorted() {
        if let lane = try lane(name) { queues.append(try queue(lane)) }
      }
      return queues
    } catch {
      throw DirectoryRefusal(paths.deliveries, .system(error))
    }
  }

  /// The deliveries of one series; without a state, all of the list is read.
  package func deliveries(of series: String) throws(DirectoryRefusal) -> DeliveryQueue {
    guard try existing(paths.state) != nil else {
      return DeliveryQueue(
        DeliveryLane(series: series), ListLines([], from: 0), ListLines([], from: 0))
    }
    _ = try existing(paths.deliveries)
    do throws(SystemError) {
      return try queue(try lane(Self.laneFile(series)) ?? DeliveryLane(series: series))
    } catch {
      throw DirectoryRefusal(paths.deliveries, .system(error))
    }
  }

  /// Makes a series known, so that its deliveries are found by its name.
  package func prepareDeliveries(of series: String) throws(DirectoryRefusal) {
    try change(deliveriesOf: series) { _ in }
  }

  /// Changes the state of a series, one process after the other.
  package func change(
    deliveriesOf series: String, _ change: (inout DeliveryLane) -> Void
  ) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.deliveries)
    do throws(SystemError) {
      let turn = try FileLock(on: directory, waitingUpTo: .seconds(5))
      let name = Self.laneFile(series)
      let former = try lane(name)
      var lane = former ?? DeliveryLane(series: series)
      change(&lane)
      if lane != former {
        let bytes = Array((lane.json.encoded() + "\n").utf8)
        try AtomicFile.removeLeftovers(of: name, in: directory)
        try AtomicFile.write(bytes.span, to: name, in: directory)
      }
      _ = consume turn
    } catch {
      throw DirectoryRefusal(paths.deliveries, .system(error))
    }
  }

  /// Enters the end of a file's wait into the journal.
  package func note(_ outcome: DeliveryOutcome) throws(DirectoryRefusal) {
    let directory = try PrivateDirectory.make(at: paths.state)
    do throws(SystemError) {
      let file = try directory.open(
        SessionPaths.delivered, [.readWrite, .create, .append, .noFollow, .nonBlocking])
      try file.append(line: outcome.json.encoded())
    } catch {
      throw DirectoryRefusal(paths.state, .system(error))
    }
  }

  /// The length of the journal of deliveries in bytes, from which `delivered(after:)` counts.
  package var toldLength: Int64 {
    guard let directory = try? PrivateDirectory.open(paths.state) else { return 0 }
    return (try? directory.status(of: SessionPaths.delivered))?.size ?? 0
  }

  /// The number of files that were delivered since the journal had that length, by whatever process.
  package func delivered(after length: Int64) -> Int {
    let lines = (try? lines(of: SessionPaths.delivered, from: length))??.lines ?? []
    return lines.count { $0.json.flatMap(DeliveryOutcome.init(json:))?.kind == .delivered }
  }

  /// Remembers how far a series has come, so that the next look begins there.
  ///
  /// An offset counts only in a list that no power failure can make shorter.
  package func advance(_ queue: DeliveryQueue) throws(DirectoryRefusal) {
    guard queue.firstListed > queue.lane.firstListed else { return }
    let list: String?
    do throws(SystemError) {
      let file = try Directory(paths.state).open(
        SessionPaths.catalogue, [.noFollow, .nonBlocking])
      try file.synchronizeData()
      list = try Self.mark(of: file, before: queue.firstListed)
    } catch {
      throw DirectoryRefusal(paths.state, .system(error))
    }
    try change(deliveriesOf: queue.lane.series) { lane in
      lane.firstListed = queue.firstListed
      lane.firstTold = queue.firstTold
      lane.list = list
    }
  }

  /// Takes the right to deliver files of a series, waiting for who has it; nil once the time has
  /// passed.
  package func turn(
    toDeliver series: String, waitingUpTo limit: Duration
  ) throws(DirectoryRefusal) -> FileLock? { try lock(Self.key(series) + ".turn", limit) }

  /// Takes the right to try a series again and again, which one process has; nil where another has it.
  package func watch(over series: String) throws(DirectoryRefusal) -> FileLock? {
    try lock(Self.key(series) + ".watch", .milliseconds(300))
  }

  private func lock(
    _ name: String, _ limit: Duration
  ) throws(DirectoryRefusal) -> FileLock? {
    let directory = try PrivateDirectory.make(at: paths.deliveries)
    do throws(SystemError) {
      return try FileLock(name, in: directory, waitingUpTo: limit)
    } catch {
      if error.errno == .timedOut { return nil }
      throw DirectoryRefusal(paths.deliveries, .system(error))
    }
  }

  private static func key(_ series: String) -> String {
    String(SHA256(of: series.utf8).hexadecimal.prefix(32))
  }

  // Every file of a disk that is gone for good.
  private static var largestLane: Int { 1 << 28 }

  private static func laneFile(_ series: String) -> String { key(series) + ".json" }

  /// The directory at a path; nil where there is none.
  private func existing(_ path: String) throws(DirectoryRefusal) -> Directory? {
    do throws(DirectoryRefusal) {
      return try PrivateDirectory.open(path)
    } catch {
      if case .system(let cause) = error.reason, cause.errno == .noSuchFile { return nil }
      throw error
    }
  }

  /// The state in a file. One that was damaged is made anew from the list of takes, which begins at
  /// its first line; nil where there is none, or no take is of that series.
  private func lane(_ name: String) throws(SystemError) -> DeliveryLane? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Directory(paths.deliveries).open(name, [.noFollow, .nonBlocking])
        .readAll(upTo: Self.largestLane)
    } catch {
      guard error.errno == .noSuchFile else { throw error }
      return nil
    }
    let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: Self.largestLane))
    if let lane = json.flatMap(DeliveryLane.init(json:)), Self.laneFile(lane.series) == name {
      return lane
    }
    for line in try lines(of: SessionPaths.catalogue, from: 0)?.lines ?? [] {
      guard let take = line.json.flatMap(RecordingResult.init(json:)),
        let series = take.delivery?.series, Self.laneFile(series) == name
      else { continue }
      return DeliveryLane(series: series)
    }
    return nil
  }

  /// The list first: an outcome that is entered meanwhile is then of a file that was read.
  private func queue(_ lane: DeliveryLane) throws(SystemError) -> DeliveryQueue {
    let takes = try lines(
      of: SessionPaths.catalogue, from: lane.firstListed, markedBy: lane.list)
    // The offsets mean nothing in a list that was made anew.
    guard let takes else {
      var whole = lane
      (whole.firstListed, whole.firstTold) = (0, 0)
      return try queue(whole)
    }
    var journal = try lines(of: SessionPaths.delivered, from: lane.firstTold)
    if journal == nil { journal = try lines(of: SessionPaths.delivered, from: 0) }
    return DeliveryQueue(lane, takes, journal ?? ListLines([], from: 0))
  }

  /// The digest of the beginning of a list, as far as it lies before an offset.
  private static func mark(
    of list: borrowing Descriptor, before offset: Int64
  ) throws(SystemError) -> String {
    var bytes = [UInt8](repeating: 0, count: Int(min(offset, 512)))
    let count = try list.read(into: &bytes, at: 0)
    return SHA256(of: bytes[..<count]).hexadecimal
  }

  /// The lines from an offset on; nil where the list is shorter, or has another mark.
  private func lines(
    of list: String, from start: Int64, markedBy mark: String? = nil
  ) throws(SystemError) -> ListLines? {
    do throws(SystemError) {
      let file = try Directory(paths.state).open(list, [.noFollow, .nonBlocking])
      if start > 0 {
        guard try file.status().size >= start else { return nil }
        if let mark, try Self.mark(of: file, before: start) != mark { return nil }
      }
      let end = try Self.end(of: file, from: start)
      return ListLines(end.bytes, from: end.start)
    } catch {
      guard error.errno == .noSuchFile else { throw error }
      return start > 0 ? nil : ListLines([], from: 0)
    }
  }
}
