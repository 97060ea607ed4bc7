extension Failure {
  /// The failure to start a take on a disk with less free space than `--min-free`.
  package init(tooLittleSpace free: Int64, of floor: Int64, for path: String) {
    self.init(
      .outputRefused,
      Message(
        "cannot record to", on: path,
        why: "\(ByteCount(free)) free on that disk, less than --min-free \(ByteCount(floor))",
        advice: "make room, record to another disk, or give a lower --min-free"))
  }
}
