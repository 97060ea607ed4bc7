internal import CLinux
internal import Glibc
internal import Synchronization

/// The environment of this process, and the user who runs it.
package enum Environment {
  /// Returns the value of a variable, or nil if it is unset.
  package static func value(of name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Returns the value of a variable, or nil if it is unset or empty.
  package static func text(of name: String) -> String? {
    value(of: name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// All variables as `NAME=value`.
  package static var all: [String] {
    var all: [String] = []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      unsafe all.append(String(cString: text))
      unsafe entry += 1
    }
    return all
  }

  /// Sets a variable, or removes it if `value` is nil. The corresponding C functions are `setenv`
  /// and `unsetenv`.
  ///
  /// No other thread may read the environment at the same time. Libraries also read it, for example
  /// when they open a device.
  package static func set(_ name: String, to value: String?) {
    if let value { unsafe _ = setenv(name, value, 1) } else { unsafe _ = unsetenv(name) }
  }

  /// True if the program gained rights when it started (set-user-id, capabilities). Its environment
  /// may then come from a user with fewer rights.
  package static var isElevated: Bool { getauxval(UInt(AT_SECURE)) != 0 }

  /// The user whose rights apply.
  package static var effectiveUser: UInt32 { geteuid() }

  /// The number of this process.
  package static var processIdentifier: Int32 { getpid() }

  /// The number of the process that started this process, or that adopted it after the parent
  /// ended.
  package static var parentProcess: Int32 { getppid() }

  /// The numbers of the groups whose rights apply to this process, or only the effective group if
  /// the list cannot be read.
  package static var groups: [UInt32] { (try? UserGroup.ofProcess()) ?? [getegid()] }
}

extension Environment {
  /// All lists of variables that `exchange` has used. They stay in memory, because a library may
  /// still read an old list.
  private static let lists = Mutex<[[Path]: VariableList]>([:])

  /// Sets variables, or removes those whose new value is nil. Other threads may read variables
  /// meanwhile.
  ///
  /// The whole list is replaced in one step, and the previous list stays in memory. `setenv`
  /// guarantees neither of the two.
  package static func exchange(_ changes: [String: String?]) {
    lists.withLock { lists in
      let kept = all.filter { entry in
        let name = entry.utf8.prefix { $0 != UInt8(ascii: "=") }
        return changes[String(Substring(name))] == nil
      }
      let added = changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
      let entries = (kept + added).sorted()
      let key = entries.map(Path.init)
      let list = lists[key] ?? VariableList(StringVector(entries))
      lists[key] = list
      unsafe exchange_environment(list.pointer)
    }
  }
}

/// Variables in C memory that is never freed.
///
/// SAFETY: nothing writes to this memory again.
@safe private struct VariableList: @unchecked Sendable {
  let pointer: StringVector.Pointer

  init(_ strings: consuming StringVector) { unsafe pointer = strings.release() }
}

/// An array of C strings with a null pointer at its end, as `execve` requires.
@safe struct StringVector: ~Copyable {
  typealias Pointer = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  let pointer: Pointer
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    unsafe pointer = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      unsafe (pointer + index).initialize(to: strdup(string))
    }
    unsafe (pointer + count).initialize(to: nil)
  }

  /// Keeps the strings in memory permanently.
  consuming func release() -> Pointer {
    let pointer = unsafe pointer
    discard self
    return unsafe pointer
  }

  deinit {
    for index in 0..<count { unsafe free(pointer[index]) }
    unsafe pointer.deallocate()
  }
}
