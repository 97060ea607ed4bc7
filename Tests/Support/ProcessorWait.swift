import Foundation

/// The time during which the threads of a program were ready to run but had no processor. This is
/// the part of a delay that the machine causes.
package struct ProcessorWait {
  private let tasks: String
  private var before: [String: Int] = [:]

  package init(of process: Int32 = getpid()) {
    tasks = "/proc/\(process)/task"
    before = nanoseconds
  }

  /// The longest wait of a single thread since the initialization.
  package var longest: Duration {
    .nanoseconds(nanoseconds.map { $1 - before[$0, default: 0] }.max() ?? 0)
  }

  private var nanoseconds: [String: Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    let waits = names.map { name in
      let text = try? String(contentsOfFile: "\(tasks)/\(name)/schedstat", encoding: .utf8)
      // The fields are the running time, the time without a processor, and the number of time
      // slices.
      return text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
    return Dictionary(uniqueKeysWithValues: zip(names, waits))
  }
}
