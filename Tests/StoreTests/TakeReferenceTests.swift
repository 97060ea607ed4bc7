import Audio
import Control
import Linux
import Store
import Support
import Testing

@Suite("References to takes")
struct TakeReferenceTests {
  /// Makes a store with takes of the given names, in this order. Each file has ten bytes.
  private func store(
    _ scratch: borrowing ScratchDirectory, _ takes: [(name: String, file: String?)]
  ) throws -> MachineStore {
    let store = MachineStore(
      SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
    for (place, take) in takes.enumerated() {
      var facts = TakeFacts(
        identifier: "id\(place)", name: take.name, device: "test:ramp",
        stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
      facts.bytes = 10
      facts.path = try take.file.map { try scratch.write("0123456789", to: $0) }
      try store.catalogue.add(
        RecordingResult(
          facts, reason: .stopped, exit: 0, began: .seconds(1_000 + place)))
    }
    return store
  }

  @Test(
    "A word is a reference, a mistake or a path",
    arguments: [
      ("@1", true, true), ("@last", true, true), ("@talk", true, true), ("@4f0b", true, true),
      ("@0", true, false), ("@", true, false), ("@a b.wav", true, true),
      ("./@1", false, false), ("@a/b.wav", false, false), ("1", false, false), ("", false, false),
    ])
  func words(word: String, isMeant: Bool, isValid: Bool) {
    #expect(TakeReference.isMeant(by: word) == isMeant)
    #expect((TakeReference(word) != nil) == isValid)
  }

  @Test(
    "finds the take that is meant",
    arguments: [
      ("@1", "id3"), ("@last", "id3"), ("@2", "id2"), ("@4", "id0"), ("@talk", "id2"),
      ("@song", "id3"), ("@id1", "id1"), ("@5", nil), ("@nobody", nil),
      // A number has priority over a name. A number that no take has is a name.
      ("@3", "id1"), ("@77", "id0"),
    ])
  func meaning(word: String, identifier: String?) throws {
    let scratch = try ScratchDirectory()
    let store = try store(
      scratch, [("77", "a.wav"), ("3", "b.wav"), ("talk", "c.wav"), ("song", "d.wav")])
    let reference = try #require(TakeReference(word))
    switch store.catalogue.find(reference) {
    case .take(let take): #expect(take.identifier == identifier)
    case .none(let count): #expect(identifier == nil && count == 4)
    case .recording: Issue.record("nothing records")
    }
  }

  @Test(
    "with a number below 1 is a name, also in a lookup of many takes",
    arguments: ["@-1", "@-9223372036854775808", "@00"])
  func negative(word: String) throws {
    let scratch = try ScratchDirectory()
    let store = try store(scratch, [("talk", "a.wav"), ("song", "\(word.dropFirst()).wav")])
    let reference = try #require(TakeReference(word))
    let finder = store.catalogue.finder(MoveSearch(in: scratch.path) { _ in })
    #expect(finder.take(reference, at: "") == nil)
    guard case .take(let take) = store.catalogue.find(reference) else {
      Issue.record("\(word) means no take")
      return
    }
    #expect(take.identifier == "id1")
  }

  @Test("reports the state of the file, with the same numbers as the list")
  func states() throws {
    let scratch = try ScratchDirectory()
    let store = try store(
      scratch,
      [("a", "gone.wav"), ("b", "twice.wav"), ("c", "edited.wav"), ("d", nil), ("e", "twice.wav")])
    try Directory(scratch.path).remove("gone.wav")
    try scratch.write("shorter", to: "edited.wav")
    let expected: [ListedTake.State] = [.missing, .replaced, .changed, .unfiled, .whole]
    let listed = store.catalogue.listedTakes
    #expect(listed.map(\.state) == expected)
    #expect(listed.map(\.number) == [nil, nil, 2, nil, 1])
    for take in listed.filter(\.exists) {
      let number = try #require(take.number)
      #expect(store.catalogue.find(try #require(TakeReference("@\(number)"))) == .take(take))
    }
    #expect(store.catalogue.find(try #require(TakeReference("@3"))) == .none(of: 2))
  }

  @Test("The newest takes with a file are found behind many without one", arguments: [0, 2, 40])
  func newestFiles(gone: Int) throws {
    let scratch = try ScratchDirectory()
    let lost = (0..<gone).map { (name: "b", file: String?("gone\($0).wav")) }
    let store = try store(scratch, [("a", "1.wav"), ("a", "2.wav"), ("a", "3.wav")] + lost)
    for take in lost { try Directory(scratch.path).remove(take.file ?? "") }
    let newest = store.catalogue.newestFiles(2)
    #expect(newest.takes.map(\.identifier) == ["id1", "id2"] && newest.unfiled == gone)
    #expect(newest.takes.map(\.number) == [2, 1])
    #expect(store.catalogue.newestFiles(4).takes.count == 3)
  }

  @Test("finds the newest take of a name that has a file, or else the newest of that name")
  func namesakes() throws {
    let scratch = try ScratchDirectory()
    let store = try store(
      scratch, [("a", "1.wav"), ("a", "2.wav"), ("a", nil), ("b", "gone.wav"), ("b", nil)])
    try Directory(scratch.path).remove("gone.wav")
    for (word, identifier) in [("@a", "id1"), ("@b", "id4"), ("@id2", "id2")] {
      guard case .take(let take) = store.catalogue.find(try #require(TakeReference(word))) else {
        Issue.record("\(word) means no take")
        continue
      }
      #expect(take.identifier == identifier)
    }
  }

  @Test("finds a take by its file, with or without the extension, if no take has that name")
  func files() throws {
    let scratch = try ScratchDirectory()
    try Directory(scratch.path).makeDirectory("old")
    let store = try store(
      scratch,
      [
        ("a", "talk.wav"), ("a", "old/talk.wav"), ("talk.wav", "b.wav"), ("a", "e\u{301}.flac"),
        ("a", "a.wav"), ("b", "gone.wav"), ("b", "gone.flac"), ("b", "9.wav"),
      ])
    for name in ["gone.wav", "gone.flac", "talk.wav"] { try Directory(scratch.path).remove(name) }
    let meanings = [
      ("@talk", "id1"), ("@talk.wav", "id2"), ("@a", "id4"), ("@e\u{301}", "id3"),
      ("@e\u{301}.flac", "id3"), ("@\u{E9}", nil), ("@gone", "id6"), ("@gone.wav", "id5"),
      ("@alk", nil), ("@9", nil), ("@9.wav", "id7"),
    ]
    for (word, identifier) in meanings {
      switch store.catalogue.find(try #require(TakeReference(word))) {
      case .take(let take): #expect(take.identifier == identifier, "\(word)")
      case .none: #expect(identifier == nil, "\(word)")
      case .recording: Issue.record("nothing records")
      }
    }
  }

  @Test("reports other takes that a name may mean, and a newer one whose file is missing")
  func clashes() throws {
    let scratch = try ScratchDirectory()
    for name in ["old", "new"] { try Directory(scratch.path).makeDirectory(name) }
    let store = try store(
      scratch,
      [
        ("talk", "1.wav"), ("talk", "2.wav"), ("a", "talk.wav"), ("b", "old/x.wav"),
        ("c", "new/x.flac"), ("d", "old/y.wav"), ("e", "new/y.wav"), ("f", "alone.wav"),
        ("z", "8.wav"), ("h", "z.wav"),
      ])
    try Directory(scratch.path("new")).remove("y.wav")
    try Directory(scratch.path).remove("8.wav")
    let expected: [(word: String, take: String?, others: [String], missing: String?)] = [
      ("@talk", "id1", ["id2"], nil), ("@x", "id4", ["id3"], nil), ("@x.wav", nil, [], nil),
      ("@y", "id5", [], "id6"), ("@a", nil, [], nil), ("@alone", nil, [], nil),
      ("@id1", nil, [], nil), ("@2", nil, [], nil), ("@z", "id8", ["id9"], nil),
    ]
    for (word, identifier, others, missing) in expected {
      let reference = try #require(TakeReference(word))
      guard case .take(let take) = store.catalogue.find(reference) else {
        Issue.record("\(word) means no take")
        continue
      }
      let clash = store.catalogue.clash(of: take, reference)
      #expect(clash?.take.identifier == identifier, "\(word)")
      #expect(clash?.others.map(\.identifier) ?? [] == others, "\(word)")
      #expect(clash?.missing?.identifier == missing, "\(word)")
      #expect(clash?.take.exists != true || clash?.take.number != nil)
    }
  }

  @Test("reports a running recording of the name, and finds its previous takes by number")
  func running() throws {
    let scratch = try ScratchDirectory()
    let store = try store(scratch, [("talk", "a.wav")])
    let name = try #require(SessionName("talk"))
    let record = SessionRecord(
      identifier: "live", name: "talk", process: 7, device: "test:ramp", path: "/b.wav",
      began: .seconds(2_000))
    let lock = try store.sessions.lock(name)
    try store.sessions.publish(record, as: name)
    let reference = try #require(TakeReference("@talk"))
    #expect(store.catalogue.find(reference) == .recording(record))
    #expect(store.catalogue.find(try #require(TakeReference("@live"))) == .recording(record))
    guard case .take = store.catalogue.find(try #require(TakeReference("@1"))) else {
      Issue.record("the number means no take")
      return
    }
    _ = consume lock
    guard case .take = store.catalogue.find(reference) else {
      Issue.record("the name means no take once nothing records")
      return
    }
  }
}
