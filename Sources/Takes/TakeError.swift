package import Audio
package import Control
package import Devices
package import Files
package import Linux
package import Permission
package import Store

/// A reason why a take cannot begin, continue or be recovered.
///
/// Facts alone: the shell puts them into words and picks the exit code.
package enum TakeError: Error, Sendable {
  /// The plan has no valid name or identifier.
  case nameless
  /// The plan names a client that cannot be one.
  case unknownClient(String)
  /// A directory of the program's own is not trusted.
  case directory(DirectoryRefusal)
  /// Another session has the name, at this place and with this file, if it left a record.
  case nameInUse(SessionName, Whereabouts?, path: String?)
  /// Less is free on the disk than has to stay so.
  case diskFloor(String, free: Int64, floor: Int64)
  /// The library that writes sound files is missing.
  case library(SoundFileError)
  /// The session is ending already.
  case ending(SessionName)
  /// A take to stdout has no files to split.
  case noFiles
  case markText(MarkTextFlaw)
  /// A request with a verb that no session knows.
  case unknownRequest(String)
  /// The device delivered nothing, or the disk failed at once; nil for an unknown cause.
  case noFirstFrame(device: String, EndCause?)
  /// The take ended before its first frame, with these words in its result.
  case endedBeforeFirstFrame(String)
  /// The file at a path cannot be made.
  case output(String, OutputObstacle)
  /// The device has too few channels.
  case channels(device: String, ChannelShortage, available: ChannelCount)
  /// The format of the file cannot hold the stream.
  case format(SoundFileError)
  /// No converter exists between the two rates.
  case conversion(ResamplerError)
  /// The device cannot be opened.
  case device(String, DeviceError)
  /// The device did not answer in time.
  case deviceSilent(String, Duration)
  /// The take was stopped before its device was open.
  case stoppedBeforeOpen(String)
  /// A step of the take failed in the system.
  case step(Step, SystemError)
  /// The microphone access does not allow the take.
  case permission(PermissionObstacle)
  /// The part at a path, left by a dead session, cannot be recovered.
  case recovery(String, RecoveryObstacle)

  /// The parts of a take's work that only the system can fail.
  package enum Step: Sendable {
    case openDevice, listen, capture, end, reserve, listenForClients
  }

  /// A request for channels that a device does not have.
  package enum ChannelShortage: Sendable {
    /// A selected channel, from 1 on.
    case selected(Int)
    /// A number of channels.
    case wanted(ChannelCount)
  }
}

/// A reason why the file of a take cannot be made.
package enum OutputObstacle: Sendable {
  /// Something has the name that is not to be replaced.
  case taken(TakenName)
  /// Another recording writes it; nil where it left no record.
  case inUse(by: String?, on: Host?)
  /// The directory or the file cannot be made.
  case directory(Errno)
  /// The sidecar and other files of the take would have longer names than a disk allows; the most
  /// bytes of the name.
  case nameTooLong(most: Int)
  /// The first bytes cannot be written.
  case file(SoundFileError)
  case system(SystemError)
}

/// A reason why the microphone access stops a take.
package enum PermissionObstacle: Sendable {
  case unreadable(DirectoryRefusal)
  case unwatchable(SystemError)
  case unusable(StoreFailure)
  /// The decision refuses.
  case refused(PermissionRefusal)
  /// A policy demands an audit, and it cannot be written.
  case auditRequired(by: String, StoreFailure)
}

/// A decision that refuses, and its circumstances.
package struct PermissionRefusal: Sendable {
  /// The decision, whose status is not authorized.
  package let decision: Decision
  /// The grants and policies that the decision follows from.
  package let situation: Situation
  /// The user whose permission was asked for.
  package let account: Account
  /// The reason why the audit has no entry of the refusal; nil where it has one.
  package let unaudited: StoreFailure?
}

/// A reason why the part of a dead session could not be recovered.
package enum RecoveryObstacle: Error, Hashable, Sendable {
  /// It is being written: by this session, if it left a record, at this place.
  case live(SessionRecord?, Whereabouts)
  /// It belongs to another user.
  case foreignOwner(UInt32)
  /// It has several names, one of which is another file.
  case severalNames(Int)
  /// It is not there any more.
  case gone
  /// Something else than a file has its name.
  case notAFile
  /// It cannot be opened.
  case unopened(Errno)
  /// No reader could be started.
  case noReader(SystemError)
  /// Its reader refused it, with the reason; nil where the reader crashed.
  case unread(String?)
  /// It does not begin like a recording of this program.
  case unknownFormat
  /// It has samples without a header, and nothing says what they are.
  case unknownSamples
  /// It could not be read or repaired.
  case unrepaired(SystemError)
  /// It could not be given its name, or not be removed.
  case unsaved(SystemError)
}
