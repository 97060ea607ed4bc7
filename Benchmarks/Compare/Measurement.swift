/// The times of a command and of its peer. The two run in turn, so that both run under the same
/// conditions.
struct Measurement {
  let times: Times
  let peerTimes: Times

  /// The median of the ratios of neighbouring runs. A slow drift of the machine does not affect it.
  let ratio: Double

  /// The ratio of the two medians.
  var ratioOfMedians: Double { times.median / peerTimes.median }

  init(of command: Command, against peer: Command, warmUps: Int = 5, pairs: Int = 101)
    throws(FailedCommand)
  {
    var milliseconds: [Double] = []
    var peerMilliseconds: [Double] = []
    for pair in 0..<(warmUps + pairs) {
      let time = try command.run()
      let peerTime = try peer.run()
      guard pair >= warmUps else { continue }
      milliseconds.append(time)
      peerMilliseconds.append(peerTime)
    }
    ratio = Times(zip(milliseconds, peerMilliseconds).map { $0 / $1 }).median
    times = Times(milliseconds)
    peerTimes = Times(peerMilliseconds)
  }
}
