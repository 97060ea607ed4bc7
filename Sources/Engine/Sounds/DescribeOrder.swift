internal import JSON

/// The work of a process that describes open files.
struct DescribeOrder: Equatable {
  /// The number of files.
  let files: Int
  /// True to decode as much of each as a play decodes before its start, so that both refuse the
  /// same files.
  var isTried = false
  /// True to measure the levels, which takes a look at every sample.
  var measuresLevels = false
  /// The processor seconds for the reading, besides those of every child.
  var seconds = 0
  /// The parts whose repair is requested instead; nil for other files.
  var parts: [PartClue]?

  init(parts: [PartClue]) {
    self.init(files: parts.count)
    self.parts = parts
  }

  init(files: Int, isTried: Bool = false, measuresLevels: Bool = false) {
    self.files = files
    self.isTried = isTried
    self.measuresLevels = measuresLevels
  }

  init?(json: JSONValue) {
    guard let files = json["files"]?.integer, let isTried = json["tried"]?.bool,
      let measuresLevels = json["levels"]?.bool, (0...1_024).contains(files)
    else { return nil }
    self.init(files: Int(files), isTried: isTried, measuresLevels: measuresLevels)
    seconds = json["seconds"].flatMap(Int.init(json:)) ?? 0
    guard let parts = json["parts"] else { return }
    guard let clues = [PartClue](json: parts), clues.count == self.files else { return nil }
    self.parts = clues
  }

  var json: JSONValue {
    var members: JSONObject = [
      "files": files.json, "tried": isTried.json, "levels": measuresLevels.json,
      "seconds": seconds.json,
    ]
    members.set("parts", parts)
    return .object(members)
  }
}
