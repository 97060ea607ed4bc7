internal import Control
package import JSON
internal import Linux

/// The deliveries of a series at one moment.
package struct DeliveryQueue: Hashable, Sendable {
  /// The counts of the series and its last error.
  package let state: DeliveryState
  /// The files that have their final names and were not delivered yet, including missing files, in
  /// the order of delivery.
  package private(set) var files: [WaitingFile]
  /// The files that do not have their final names yet.
  package let announced: [WaitingFile]

  /// The files that wait and are not missing.
  package var waiting: [WaitingFile] { files.filter { !$0.isMissing } }
  /// The files that were missing at their delivery. A missing file is delivered once it exists
  /// again.
  package var missing: [WaitingFile] { files.filter(\.isMissing) }

  /// The program that delivers the files, as stored with the newest file. An older file may be
  /// stored with an earlier path of the program.
  package var program: String? { files.last?.result.delivery?.program }

  /// Whether no file waits or is missing, and the last attempt did not fail.
  package var isIdle: Bool { files.isEmpty && state.failures == 0 }

  /// The moment since 1970 at which the oldest waiting file ended, or nil if no file waits.
  package var oldest: Duration? { waiting.first?.result.ended }

  init(_ state: DeliveryState, _ files: [WaitingFile], isAnnounced: (WaitingFile) -> Bool) {
    self.state = state
    announced = files.filter(isAnnounced)
    self.files = files.filter { !isAnnounced($0) }
  }

  /// Returns the queue with the current path of each file. If a file has no current path, its last
  /// path is used.
  package func located(by paths: WaitingPaths) -> DeliveryQueue {
    func located(_ file: WaitingFile) -> WaitingFile {
      var file = file
      file.result.path = paths.lastPath(of: file)
      return file
    }
    var queue = self
    queue.files = files.map(located)
    return queue
  }
}

/// The counts of a series' deliveries, and the last error.
package struct DeliveryState: Hashable, Sendable {
  /// The path that all files of the series share.
  package private(set) var series: String
  /// The number of consecutive failed attempts.
  package private(set) var failures = 0
  /// The reason for the last failure, or nil after a success.
  package private(set) var error: String?
  /// The moment since 1970 of the first of the consecutive failures, or nil after a success.
  package private(set) var failingSince: Duration?
  /// The number of files that were delivered.
  package var delivered = 0
  /// The number of files that retention deleted while they waited.
  package var deleted = 0

  init(series: String) { self.series = series }

  /// Counts a failed attempt. `words` is the reason.
  package mutating func fail(_ words: String) {
    if failures == 0 { failingSince = KernelClock.realTime.now }
    failures += 1
    error = words
  }

  /// Resets the failures.
  package mutating func succeed() { (failures, error, failingSince) = (0, nil, nil) }
}

extension DeliveryState: JSONMembers {
  /// A state whose members are about to be read.
  package static var blank: DeliveryState { DeliveryState(series: "") }

  /// Lists the members of the file.
  package mutating func list(in form: inout JSONForm) {
    form.member("series", &series)
    form.member("failures", &failures, in: .counts)
    form.member("error", &error)
    form.member("failingSince", &failingSince, or: .some(nil), Duration.init(moment:)) {
      $0?.moment
    }
    form.member("delivered", &delivered, in: .counts)
    form.member("deleted", &deleted, in: .counts)
  }
}
