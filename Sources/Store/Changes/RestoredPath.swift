internal import Linux

extension TakeChanges {
  /// More names for one restored file are not tried.
  private static let mostNames = 1_000

  /// The path to which a file goes back; a free name beside it if its own is taken by now.
  ///
  /// - Parameter names: the paths of the takes whose file or sidecar was asked for before.
  func restoredPath(
    of move: TakeMove, _ names: inout [TakeKey: String]
  ) throws(TakeChangeError) -> String {
    let ending = move.isSidecar ? ".json" : ""
    let former = move.from.trimmingBytes(last: ending.utf8.count)
    let path = if let known = names[move.take] { known } else { try freePath(former) }
    names[move.take] = path
    return path + ending
  }

  private func freePath(_ path: String) throws(TakeChangeError) -> String {
    let (directory, name) = path.pathParts
    let (stem, ending) = name.nameParts
    var candidate = path
    var number = 0
    while true {
      do throws(TakeChangeError) {
        for taken in [candidate, candidate + ".json"] { try refuseTaken(taken) }
        return candidate
      } catch {
        number += 1
        guard error.isOfTakenName, number <= Self.mostNames else { throw error }
      }
      candidate = "\(directory)\(stem)-restored\(number == 1 ? "" : "-\(number)")\(ending)"
    }
  }
}
