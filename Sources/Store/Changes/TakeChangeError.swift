package import Linux

/// The reason why a change of takes, an undo or a redo failed.
///
/// The functions of `TakeChanges` also throw the errors of the journal and of the state directory,
/// unchanged.
package enum TakeChangeError: Error, Hashable, Sendable {
  /// The take has no file.
  case unfiled
  /// The file no longer exists.
  case missing(String)
  /// The file is a link or another kind of file that is not regular.
  case notRegular(String)
  /// The take is in the catalogue of another machine that shares the home directory.
  case elsewhere(String)
  /// The name is already in use.
  case taken(String)
  /// A running recording will give the name to its file.
  case recorded(String, name: String)
  /// The directory that the file would be moved to does not exist.
  case noDirectory(String)
  /// The filesystem of the file has no trash, and none can be created.
  case noTrash(String, SystemError)
  /// The file could not be moved. Nothing has changed.
  case unmoved(String, SystemError)
  /// The action moved some files, but it could not move this file.
  case partly(String, SystemError, TakeChange.Action)
  /// The change has more files than allowed. Nothing was moved.
  case tooMany(Int, most: Int)
  /// Nothing is left to undo or to redo.
  case nothing(TakeChange.Action)
  /// The last change failed, or cannot be undone. The second value is the latest change before it
  /// that can be undone.
  case final(TakeChange, after: TakeChange)
  /// The files of the change no longer exist, so the change can never be undone or redone.
  case gone(String, TakeChange.Action)
  /// Another file is at the path where the change left its file.
  case exchanged(String)
  /// Another program has replaced a file of the take, and the user gave a reference such as `@1`.
  /// The second value is the path of the take. If the user gives this path instead, the action is
  /// possible.
  case foreign(String, take: String, TakeChange.Action)
  /// Another process has held the lock of the journal for too long.
  case busy

  /// True if the action is possible with another name.
  var isOfTakenName: Bool {
    switch self {
    case .taken, .recorded: true
    default: false
    }
  }
}
