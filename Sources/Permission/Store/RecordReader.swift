internal import JSON
internal import Linux

/// A reader of the records in a ledger's file. It accepts only the form that `Ledger` writes, and
/// is many times faster than a JSON decoder.
struct RecordReader {
  private let bytes: [UInt8]
  private let kind: Client.Kind
  private var position: Int
  private var records = Records()
  /// The index of the first record that may have the same client as the next record in the text. A
  /// program often has records about both services. The records then share one string for the name.
  private var next = 0

  private static let denied = Array(#"{"state":"denied","at":""#.utf8)
  private static let authorized = Array(#"{"state":"authorized","at":""#.utf8)
  private static let byPrompt = Array(#"","by":"prompt""#.utf8)
  private static let byCommand = Array(#"","by":"command""#.utf8)
  private static let forever = Array(#","lifespan":"forever""#.utf8)
  private static let empty = Array("{}".utf8)
  private static let quotationMark = [UInt8(ascii: "\"")]

  private init(_ bytes: [UInt8], from position: Int, _ kind: Client.Kind) {
    (self.bytes, self.kind, self.position) = (bytes, kind, position)
  }

  /// Returns the records in the JSON that begins at a position, and the JSON without the records.
  /// Returns nil if the JSON has another form.
  static func read(
    _ bytes: [UInt8], from position: Int = 0, _ kind: Client.Kind
  ) -> (records: Records, others: [UInt8])? {
    var reader = RecordReader(bytes, from: position, kind)
    // A record with a typical name has about 100 bytes or more.
    reader.records.reserve(bytes.count / 100)
    var others: [UInt8] = []
    for service in Service.allCases {
      let key = Array(#","\#(service.rawValue)":"#.utf8)
      let start = reader.position
      // Quotation marks within a string are escaped, so only the key can match.
      guard let found = bytes.firstIndex(of: key, in: start..<bytes.count) else { return nil }
      reader.position = found + key.count
      others += bytes[start..<reader.position]
      others += empty
      reader.next = 0
      guard reader.add(service) else { return nil }
    }
    return (reader.records, others + bytes[reader.position...])
  }

  /// Reads the object with the records about a service. Returns false if the object has another
  /// form, or if the records are not sorted.
  private mutating func add(_ service: Service) -> Bool {
    guard skip(UInt8(ascii: "{")) else { return false }
    if skip(UInt8(ascii: "}")) { return true }
    repeat {
      guard let client = client(), skip(UInt8(ascii: ":")), let record = record(),
        records.append(Subject(service, client), record)
      else { return false }
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "}"))
  }

  private mutating func client() -> Client? {
    let (bytes, start) = (bytes, position + 1)
    guard skip(UInt8(ascii: "\"")),
      let end = bytes.firstIndex(of: Self.quotationMark, in: start..<bytes.count)
    else { return nil }
    position = end + 1
    let name = bytes.span.extracting(start..<end)
    while next < records.count {
      let known = records.entries[next].subject.client
      let order = known.name.utf8.span.order(before: name)
      if order == 0 { return known }
      if order > 0 { break }
      next += 1
    }
    // A name with escaped characters is left to the JSON decoder.
    for index in name.indices where name[index] == UInt8(ascii: "\\") || name[index] < 0x20 {
      return nil
    }
    guard let text = try? UTF8Span(validating: name) else { return nil }
    return kind.client(named: String(copying: text))
  }

  private mutating func record() -> Record? {
    let start = position
    if let record = plainRecord() { return record }
    // A grant with a limit has more members, but no nested object, so it ends at the next brace.
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
    guard bytes.holds(text, at: position) else { return false }
    position += text.count
    return true
  }
}
