import JSON
import Linux
import Testing

@testable import Permission

@Suite("The records in a file")
struct RecordReaderTests {
  private func ledger(_ names: [String]) -> Ledger {
    let records: [Record] = [.denial, .refusedAtPrompt, .forever, .always, .once, .anHour]
    var ledger = Ledger.empty(.here, of: .program)
    for (number, name) in names.enumerated() {
      for service in Service.allCases {
        ledger.records[Subject(service, known(Client(path: name)))] = records[number % 6]
      }
    }
    return ledger
  }

  /// Returns the JSON in the bytes of a ledger.
  private func body(_ ledger: Ledger) -> [UInt8] {
    Array(ledger.encoded.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
  }

  @Test("All records of a file are read without decoding it as JSON")
  func own() throws {
    let ledger = ledger((0..<100).map { "/opt/ä \($0)/a" })
    let read = try #require(RecordReader.read(body(ledger), .program))
    #expect(read.records == ledger.records)
    let others = String(decoding: read.others, as: UTF8.self)
    #expect(others.contains(#""microphone":{},"systemAudio":{},"sessions":{}}"#), "\(others)")
    #expect(try Ledger(decoding: ledger.encoded, of: .program) == ledger)
    let empty = Ledger.empty(.here, of: .program)
    #expect(RecordReader.read(body(empty), .program)?.records.isEmpty == true)
  }

  @Test("A name with escaped characters is decoded as JSON")
  func escaped() throws {
    let ledger = ledger(["/opt/a", "/opt/\"\\\u{1B}\n"])
    #expect(RecordReader.read(body(ledger), .program) == nil)
    #expect(try Ledger(decoding: ledger.encoded, of: .program) == ledger)
  }

  @Test("A file in another order is decoded as JSON")
  func unsorted() throws {
    let ledger = ledger(["/a", "/b", "/c"])
    let text = String(decoding: body(ledger), as: UTF8.self)
    let names = text.replacing("path:/a", with: "path:/d")
    #expect(RecordReader.read(Array(names.utf8), .program) == nil)
    let read = try Ledger(decoding: Ledger.file(of: Array(names.utf8)), of: .program)
    #expect(
      read.records.keys.map(\.client.name)
        == ["/b", "/c", "/d", "/b", "/c", "/d"].map { "path:" + $0 })
    #expect(read.records[Subject(.microphone, known(Client(path: "/d")))] == .denial)
  }

  @Test("A file that is cut or changed is not read as another one")
  func damaged() {
    let body = body(ledger((0..<6).map { "/\($0)" }))
    for end in 0..<body.count - 2 {
      // Without its end, the file has no complete JSON.
      let read = RecordReader.read(Array(body[..<end]), .program)
      let others = String(decoding: read?.others ?? [], as: UTF8.self)
      #expect((try? JSONValue(decoding: others)) == nil, "\(end)")
    }
    let text = String(decoding: body, as: UTF8.self)
    for (old, new) in [
      ("\"path:/1", " \"path:/1"), ("\"state", "\"stat"), ("prompt", "nobody"),
      ("forever", "never"),
      ("/1", "/0"), ("/1", "/\t"), ("path:/1", "dictation"), ("},\"path", "} \"path"),
      ("-01T", "-31T0"), ("\"boot\"", "\"boots\""),
    ] {
      let changed = Array(text.replacing(old, with: new).utf8)
      #expect(changed != body && RecordReader.read(changed, .program) == nil, "\(new)")
    }
  }
}
