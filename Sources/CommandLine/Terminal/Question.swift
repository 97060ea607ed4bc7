internal import Permission

/// The question for the microphone as a person reads it; every foreign word in it is harmless.
struct Question: Hashable, Sendable {
  /// What is to be listened to, and what becomes of it, where that is known.
  var device: String?
  var output: String?
  var client = Client.everyone
  /// Who is asked.
  let user: String

  /// The line that waits for the answer.
  static let choices =
    "[y] always  [o] only this time  [n] don't allow  (Enter = not now): "

  /// Longer than any sensible name; a name without end would push the question out of sight.
  private static let longest = 200

  /// All of it, up to where the answer is typed.
  var text: String {
    "recorder would like to use the microphone.\n" + details
      + "Allow recorder to use the microphone?\n" + Self.choices
  }

  /// One line where it fits, else one line each, so that no name can pass for another field.
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
