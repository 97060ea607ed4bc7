internal import JSON
internal import Linux

/// A reader of the records in a ledger's file, in the form that `Ledger` writes. It is many times
/// faster than the decoding of JSON, and refuses every other form.
struct RecordReader {
  private let bytes: [UInt8]
  private let kind: Client.Kind
  private var position = 0

  private static let denied = Array(#"{"state":"denied","at":""#.utf8)
  private static let authorized = Array(#"{"state":"authorized","at":""#.utf8)
  private static let byPrompt = Array(#"","by":"prompt""#.utf8)
  private static let byCommand = Array(#"","by":"command""#.utf8)
  private static let forever = Array(#","lifespan":"forever""#.utf8)
  private static let empty = Array("{}".utf8)

  private init(_ bytes: [UInt8], _ kind: Client.Kind) { (self.bytes, self.kind) = (bytes, kind) }

  /// Returns the records, and the file without them. Returns nil if the file has another form.
  static func read(
    _ bytes: [UInt8], _ kind: Client.Kind
  ) -> (records: [Subject: Record], others: [UInt8])? {
    var reader = RecordReader(bytes, kind)
    var records: [Subject: Record] = [:]
    // A record has 100 bytes or more.
    records.reserveCapacity(bytes.count / 100)
    var others: [UInt8] = []
    for service in Service.allCases {
      let key = Array(#","\#(service.rawValue)":"#.utf8)
      let start = reader.position
      // Quotation marks within a string are escaped, so this is the key.
      guard let found = bytes.firstIndex(of: key, in: start..<bytes.count) else { return nil }
      reader.position = found + key.count
      others += bytes[start..<reader.position]
      others += empty
      guard reader.add(service, to: &records) else { return nil }
    }
    return (records, others + bytes[reader.position...])
  }

  /// Reads the object with the records about a service. Returns false if it has another form.
  private mutating func add(_ service: Service, to records: inout [Subject: Record]) -> Bool {
    guard skip(UInt8(ascii: "{")) else { return false }
    if skip(UInt8(ascii: "}")) { return true }
    repeat {
      guard let client = client(), skip(UInt8(ascii: ":")), let record = record(),
        records.updateValue(record, forKey: Subject(service, client)) == nil
      else { return false }
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "}"))
  }

  private mutating func client() -> Client? {
    guard skip(UInt8(ascii: "\"")) else { return nil }
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      // Escaped characters are left to the decoding of JSON.
      if bytes[position] == UInt8(ascii: "\\") || bytes[position] < 0x20 { return nil }
      position += 1
    }
    let name = String(validating: bytes[start..<position], as: UTF8.self)
    return skip(UInt8(ascii: "\"")) ? name.flatMap(kind.client(named:)) : nil
  }

  private mutating func record() -> Record? {
    let start = position
    if let record = plainRecord() { return record }
    // A grant with a limit has several more members, and no object in it.
    position = start
    while position < bytes.count, bytes[position] != UInt8(ascii: "}") { position += 1 }
    guard skip(UInt8(ascii: "}")) else { return nil }
    let json = try? JSONValue(decoding: bytes.span.extracting(start..<position))
    return json?.object.flatMap { try? Record($0) }
  }

  /// Reads a refusal or a grant without a limit. Returns nil for another record.
  private mutating func plainRecord() -> Record? {
    let isDenial = skip(Self.denied)
    guard isDenial || skip(Self.authorized), position + 20 <= bytes.count,
      let time = WallTime(rfc3339: bytes.span.extracting(position..<position + 20))
    else { return nil }
    position += 20
    let isByPrompt = skip(Self.byPrompt)
    guard isByPrompt || skip(Self.byCommand), isDenial || skip(Self.forever),
      skip(UInt8(ascii: "}"))
    else { return nil }
    return Record(isDenial ? .denied : .forever, at: time, by: isByPrompt ? .prompt : .command)
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skip(_ text: [UInt8]) -> Bool {
    guard bytes.count - position >= text.count else { return false }
    for index in text.indices where bytes[position + index] != text[index] { return false }
    position += text.count
    return true
  }
}
