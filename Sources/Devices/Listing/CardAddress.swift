/// The card and the device in the name of a PCM, as far as it has them.
struct CardAddress: Hashable {
  /// A number or an identifier; nil where the name leaves it open, as `default` does.
  let card: String?
  let device: Int?

  /// Reads `hw:CARD=Loopback,DEV=0`, `plughw:1,0` and their like.
  init(pcm name: String) {
    let arguments = name.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
    var named: [String: String] = [:]
    for (place, argument) in arguments.split(separator: ",").enumerated() {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      let key = parts.count == 2 ? parts[0] : place == 0 ? "CARD" : place == 1 ? "DEV" : "SUBDEV"
      named[key] = parts.last
    }
    card = named["CARD"]
    device = named["DEV"].flatMap { Int($0) }
  }

  /// True if the name includes that device of that card.
  func includes(card number: Int, id: String, device: Int) -> Bool {
    (card == nil || card == "\(number)" || card == id)
      && (self.device == nil || self.device == device)
  }
}
