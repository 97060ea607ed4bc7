internal import Permission

/// The question for microphone access; foreign words in it are escaped.
struct Question: Hashable, Sendable {
  /// The device to capture from; nil if it is unknown.
  var device: String?
  var output: String?
  var client = Client.everyone
  /// The user to ask.
  let user: String

  /// The line at which the user types the answer.
  static let choices =
    "[y] always  [o] only this time  [n] don't allow  (Enter = not now): "

  /// Longer than a sensible name; an endless name would scroll the question away.
  private static let longest = 200

  /// The whole question, up to the answer.
  var text: String {
    "recorder would like to use the microphone.\n" + details
      + "Allow recorder to use the microphone?\n" + Self.choices
  }

  /// One line if it fits, else a line for each field, so that no name can pass for another field.
  private var details: String {
    let client = client == .everyone ? nil : client.name
    let fields = [("Device", device), ("Output", output), ("Client", client), ("User", user)]
      .compactMap { name, value in value.map { "\(name): \(Self.shown($0))" } }
    let line = "  " + fields.joined(separator: "   ")
    return line.count <= textWidth ? line + "\n" : fields.map { "  \($0)\n" }.joined()
  }

  /// The name with both of its ends, which tell more than its middle.
  private static func shown(_ name: String) -> String {
    let name = printable(name)
    let scalars = name.unicodeScalars
    guard scalars.count > longest else { return name }
    return String(scalars.prefix(longest / 2)) + "…" + String(scalars.suffix(longest / 2))
  }
}
