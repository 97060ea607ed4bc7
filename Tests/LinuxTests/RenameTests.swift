@testable import Linux
import Support
import Synchronization
import Testing

@Suite("A rename replaces nothing unless asked")
struct RenameTests {
  @Test("A rename keeps the file that has the name already", arguments: [false, true])
  func refuses(byLink: Bool) throws {
    let scratch = try ScratchDirectory()
    let directory = try Directory(scratch.path)
    try scratch.write("new", to: "a")
    try scratch.write("old", to: "b")
    let error = #expect(throws: SystemError.self) {
      try Self.rename(byLink: byLink, in: directory)
    }
    #expect(error?.errno == .exists)
    #expect(try scratch.read("b") == Array("old".utf8))
    try directory.remove("b")
    try Self.rename(byLink: byLink, in: directory)
    #expect(try scratch.names() == ["b"])
  }

  private static func rename(
    byLink: Bool, in directory: borrowing Directory
  ) throws(SystemError) {
    if byLink {
      try directory.link("a", thenRemoveFor: "b", in: directory)
    } else {
      try directory.renameWithoutReplacing("a", to: "b")
    }
  }

  @Test("Of eight renames to one name only one succeeds, and the others keep their files")
  func race() throws {
    for _ in 0..<50 {
      let scratch = try ScratchDirectory()
      for number in 0..<8 { try scratch.write("\(number)", to: "from-\(number)") }
      let winners = try Self.race(in: scratch.path)
      #expect(winners.count == 1)
      #expect(try scratch.read("to") == Array("\(winners.first ?? -1)".utf8))
      #expect(try scratch.names().count == 8)
    }
  }

  private static func race(in path: String) throws -> [Int] {
    let winners = WinnerList()
    var handles: [ThreadHandle] = []
    for number in 0..<8 {
      handles.append(
        try ThreadHandle {
          let moved: Void? = try? Directory(path).renameWithoutReplacing(
            "from-\(number)", to: "to")
          if moved != nil { winners.add(number) }
        })
    }
    for handle in handles { handle.join() }
    return winners.all
  }
}

/// A list that several threads add to.
final class WinnerList: Sendable {
  private let numbers = Mutex<[Int]>([])

  func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  var all: [Int] { numbers.withLock { $0 } }
}

/// A class around a thread, so that an array can hold threads.
final class ThreadHandle {
  private var thread: Thread?

  init(_ body: @escaping @Sendable () -> Void) throws { thread = try Thread("test", body: body) }

  func join() { thread.take()?.join() }
}
