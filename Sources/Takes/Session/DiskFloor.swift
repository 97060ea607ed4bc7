internal import Linux

/// The space that has to stay free where a take is written.
enum DiskFloor {
  /// Throws where less is free; a take to stdout needs none.
  static func check(_ path: String?, leaving floor: Int64) throws(TakeError) {
    guard let path, let free = FileSystem.freeBytes(above: path), free < floor else { return }
    throw .diskFloor(path, free: free, floor: floor)
  }
}
