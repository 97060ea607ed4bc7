package import Linux

/// A problem in the delivery of a series.
package enum DeliveryFault: Sendable {
  /// The delivery program did not exit with 0. `said` is the last line of its output.
  case program(UserProgram, UserProgram.Ending, said: String?, file: String)
  /// The file was changed or replaced during its delivery.
  case changed(file: String)
  /// The file cannot be read, so it is unknown whether it still exists.
  case unreadable(file: String, why: String)
  /// The file was removed. It is delivered if it later exists again.
  case gone(file: String)
  /// A system call failed during the delivery.
  case system(file: String, SystemError)
  /// Another process has been delivering the series for an hour.
  case busy(series: String)
  /// The queue cannot be read.
  case unknown(DirectoryRefusal)
  /// A file was delivered, but the queue could not be updated.
  case unnoted(DirectoryRefusal)
}

extension DeliveryFault: CustomStringConvertible {
  /// The fault as a sentence, with paths quoted.
  package var description: String {
    let quoted = PrintableText.quoted
    return switch self {
    case .program(let program, let ending, let said, let file):
      program.words(ending) + (said.map { ": " + $0 } ?? "") + " (\(quoted(file)))"
    case .changed(let file): "\(quoted(file)) was changed while it was delivered"
    case .unreadable(let file, let why): "cannot read \(quoted(file)): \(why); is its disk mounted?"
    case .gone(let file): "\(quoted(file)) is missing, so it was not delivered"
    case .system(let file, let cause): "cannot deliver \(quoted(file)): \(cause)"
    case .busy(let series): "another process has been delivering \(quoted(series)) for an hour"
    case .unknown(let cause): "cannot read the waiting deliveries: \(cause)"
    case .unnoted(let cause):
      "a delivered file may be delivered again: its entry cannot be removed: \(cause)"
    }
  }
}
