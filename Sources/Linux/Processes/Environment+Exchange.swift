internal import CLinux
internal import Synchronization

extension Environment {
  /// Every list of variables that was ever in force: a library may still read it.
  private static let lists = Mutex<[[String]: VariableList]>([:])

  /// Changes variables, or with nil removes them, while other threads may read any.
  ///
  /// The whole list is exchanged at once, and the one before stays in memory, which `setenv` does not promise.
  package static func exchange(_ changes: [String: String?]) {
    lists.withLock { lists in
      let kept = all.filter { entry in changes[String(entry.prefix { $0 != "=" })] == nil }
      let added = changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
      let entries = (kept + added).sorted()
      let list = lists[entries] ?? VariableList(StringVector(entries))
      lists[entries] = list
      unsafe exchange_environment(list.pointer)
    }
  }
}

/// Variables in C's memory, for good.
///
/// SAFETY: nothing is ever written there again.
@safe private struct VariableList: @unchecked Sendable {
  let pointer: StringVector.Pointer

  init(_ strings: consuming StringVector) { unsafe pointer = strings.release() }
}
