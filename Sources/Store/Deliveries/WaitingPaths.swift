internal import Control
internal import Linux

/// The current paths of waiting files. Commands may rename a waiting file or throw it away, and a
/// later file may get the same name.
package final class WaitingPaths {
  private let store: MachineStore
  /// All takes. They are read only if a file was changed or is missing from its path.
  private lazy var all = store.catalogue.listedTakes

  /// The paths of the files that wait in a store.
  package init(in store: MachineStore) { self.store = store }

  /// Returns the current path of a file, or nil if the file is missing or in the trash, or if the
  /// file of another take has its path.
  package func path(of file: WaitingFile) -> String? {
    if let path = file.result.path, let status = try? FileStatus(of: path, following: false),
      file.isUntouched(status)
    {
      return path
    }
    return take(file).flatMap { $0.exists ? $0.path : nil }
  }

  /// Returns the current path of a file, or the last path if the file has no current path.
  package func lastPath(of file: WaitingFile) -> String {
    path(of: file) ?? take(file)?.path ?? file.result.path ?? ""
  }

  /// Returns whether the file is in the trash.
  package func isTrashed(_ file: WaitingFile) -> Bool { take(file)?.state == .trashed }

  private func take(_ file: WaitingFile) -> ListedTake? {
    let path = file.result.path.map(Path.init)
    return all.last { file.isFile(of: $0) && $0.row.path.map(Path.init) == path }
  }
}
