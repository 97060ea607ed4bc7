package import Audio
package import Control
package import Devices
package import Linux
package import Permission
package import Store

/// A reason why a take cannot begin, continue or be recovered.
///
/// The error contains only facts. `Commands` turns them into messages and exit codes. A take also
/// throws the errors of lower layers unchanged, such as `SystemError` and `DirectoryRefusal`.
package enum TakeError: Error, Sendable {
  /// The plan has no valid name or identifier.
  case nameless
  /// The plan has an invalid client name.
  case unknownClient(String)
  /// Another session uses the name. The location and the path of that session are nil if they are
  /// unknown.
  case nameInUse(SessionName, RecordingLocation?, path: String?)
  /// The free space on the disk is below the limit.
  case diskFloor(String, free: Int64, floor: Int64)
  /// The session is already ending.
  case ending(SessionName)
  /// A take to stdout cannot be split.
  case noFiles
  /// A request has an unknown verb.
  case unknownRequest(String)
  /// Before the first frame, the device delivered nothing or the disk failed. The cause is nil if
  /// it is unknown.
  case noFirstFrame(device: String, EndCause?)
  /// A capture without a file ended after its first frame, because the device failed.
  case captureEnded(device: String, EndCause)
  /// The take ended before its first frame, with this message in its result.
  case endedBeforeFirstFrame(String)
  /// The file at this path cannot be created.
  case output(String, OutputObstacle)
  /// The device has too few channels.
  case channels(device: String, ChannelShortage, available: ChannelCount)
  /// The device cannot be opened.
  case device(String, DeviceError)
  /// The device did not answer in time.
  case deviceSilent(String, Duration)
  /// The take was stopped before its device was open.
  case stoppedBeforeOpen(String)
  /// The permission does not allow the take.
  case permission(PermissionObstacle)
  /// A program cannot read the recording with this name, or one of its tracks.
  case tap(SessionName, TapObstacle)
  /// The part of a dead session at this path cannot be recovered.
  case recovery(String, RecoveryObstacle)

  /// A request for channels that the device does not have.
  package enum ChannelShortage: Sendable {
    /// A selected channel, counted from 1.
    case selected(Int)
    /// A number of channels.
    case wanted(ChannelCount)
  }
}

/// A reason why the file of a take cannot be created.
package enum OutputObstacle: Sendable {
  /// The name belongs to a file or directory that must not be replaced.
  case taken(TakenName)
  /// Another recording writes to the file. The name of that recording is nil if it has no record.
  case inUse(by: String?, on: Host?)
  /// The name is too long: the names of the sidecar and other files of the take would exceed the
  /// limit of the filesystem. `most` is the allowed number of bytes.
  case nameTooLong(most: Int)
  /// The file or its directory cannot be created, or its first bytes cannot be written.
  case failed(any Error)
}

/// A reason why a program cannot read a recording or one of its tracks.
package enum TapObstacle: Sendable {
  /// No further program can read the recording. The value is the number of its readers.
  case readers(Int)
  /// The session cannot open enough files to serve another program.
  case descriptors
  /// The recording has these tracks, but no track of that name.
  case noTrack(String, has: [String])
  /// The tracks are mixed into one sound.
  case mixed
  /// The track is silent, because it has lost its permission.
  case silenced(Track, AccessLoss)
}

/// A reason why the permission does not allow a take.
package enum PermissionObstacle: Sendable {
  /// The decision is a refusal.
  case refused(PermissionRefusal)
  /// A policy requires an audit, but the audit cannot be written.
  case auditRequired(by: String, StoreFailure)
}

/// A refusal with its circumstances.
package struct PermissionRefusal: Sendable {
  /// The grants and policies. They do not authorize the take.
  package let situation: Situation
  /// The user that the decision applies to.
  package let account: Account
  /// The reason why the audit has no entry for the refusal, or nil if it has one.
  package let unaudited: StoreFailure?
}

/// A reason why the part of a dead session could not be recovered.
package enum RecoveryObstacle: Error, Hashable, Sendable {
  /// A session in this location is writing the part. The record is nil if the session is unknown.
  case live(SessionRecord?, RecordingLocation)
  /// The part belongs to another user.
  case foreignOwner(UInt32)
  /// The file has several hard links; the value is their number. A repair would also change the
  /// file under its other names.
  case severalNames(Int)
  /// The part does not exist any more.
  case gone
  /// The part is not a regular file.
  case notAFile
  /// The part cannot be opened.
  case unopened(Errno)
  /// The part reader failed. The value is the reason, or nil if the part reader crashed.
  case unread(String?)
  /// The file does not begin like a recording of this program.
  case unknownFormat
  /// The file contains samples without a header, and their format is unknown.
  case unknownSamples
  /// The part could not be read or repaired.
  case unrepaired(SystemError)
  /// The part could not be renamed or removed, with the reason.
  case unsaved(String)
}
