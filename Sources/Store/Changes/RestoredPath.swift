internal import Linux

extension TakeChanges {
  /// The maximum number of names that are tried for one restored file.
  private static let mostNames = 1_000

  /// Returns the path for a restored file: its old path, or a free name in the same directory if
  /// the old path is in use.
  ///
  /// - Parameter names: the chosen paths, by old path. A file and its sidecar share one entry.
  func restoredPath(
    of move: TakeMove, _ names: inout [Path: String]
  ) throws(TakeChangeError) -> String {
    if move.keepsPath { return move.from }
    let ending = move.isSidecar ? ".json" : ""
    let former = move.from.trimmingBytes(last: ending.utf8.count)
    let key = Path(former)
    let path = if let known = names[key] { known } else { try freePath(former) }
    names[key] = path
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
      } catch let error where error.isOfTakenName && number < Self.mostNames {
        number += 1
      }
      candidate = "\(directory)\(stem)-restored\(number == 1 ? "" : "-\(number)")\(ending)"
    }
  }
}
