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
  }

  var json: JSONValue {
    ["files": files.json, "tried": isTried.json, "levels": measuresLevels.json]
  }
}
