/// The times of a command and of its peer, run in turn so that both meet the same machine.
struct Measurement {
  let times: Times
  let peerTimes: Times

  /// The median of what each pair of neighbouring runs says, which a slow drift cannot move.
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
