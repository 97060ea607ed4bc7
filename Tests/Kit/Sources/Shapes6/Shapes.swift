import Observation
import RecorderAVFoundation
import Synchronization

// The variants of delegates that programs write for players and recorders. This file is compiled in
// the language modes 5 and 6. Each class counts the calls that it receives.

/// 1: a class bound to the main actor that declares the conformance itself.
@MainActor
public final class BoundShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
  public private(set) var ends = 0

  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    ends += 1
  }

  public func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    ends += 1
  }
}

/// 2: a class without actor annotations.
public final class PlainShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
  public private(set) var ends = 0

  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    ends += 1
  }

  public func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    ends += 1
  }
}

/// 3: a class bound to the main actor with nonisolated methods, which switch to the main actor
/// themselves.
@MainActor
public final class HoppingShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
  public private(set) var ends = 0

  public nonisolated func audioPlayerDidFinishPlaying(
    _ player: AVAudioPlayer, successfully flag: Bool
  ) {
    Task { @MainActor in self.ends += 1 }
  }

  public nonisolated func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    Task { @MainActor in self.ends += 1 }
  }
}

/// 4: a conformance in an extension.
public final class ExtendedShape: NSObject {
  @MainActor public private(set) var ends = 0
}

extension ExtendedShape: AVAudioRecorderDelegate {
  public func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    ends += 1
  }

  public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}
}

extension ExtendedShape: AVAudioPlayerDelegate {
  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    ends += 1
  }

  public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}

/// 5: a class with none of the methods.
public final class EmptyShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {}

/// 6: a class with its own synchronization and methods for any thread.
public final class SendableShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate,
  @unchecked Sendable
{
  private let lock = NSLock()
  private nonisolated(unsafe) var count = 0
  public nonisolated var ends: Int { lock.withLock { count } }

  public nonisolated func audioPlayerDidFinishPlaying(
    _ player: AVAudioPlayer, successfully flag: Bool
  ) {
    lock.withLock { count += 1 }
  }

  public nonisolated func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    lock.withLock { count += 1 }
  }
}

/// 7: an observable model for a user interface, which uses `assumeIsolated`.
@MainActor
@Observable
public final class ModelShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
  public private(set) var ends = 0

  public nonisolated func audioPlayerDidFinishPlaying(
    _ player: AVAudioPlayer, successfully flag: Bool
  ) {
    MainActor.assumeIsolated { ends += 1 }
  }

  public nonisolated func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    MainActor.assumeIsolated { ends += 1 }
  }
}

/// 8: the base class with the conformance.
open class FormerShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate {
  public fileprivate(set) var ends = 0

  open func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}

  open func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {}
}

/// 8: the class that inherits the conformance.
public final class InheritingShape: FormerShape {
  public override func audioPlayerDidFinishPlaying(
    _ player: AVAudioPlayer, successfully flag: Bool
  ) {
    ends += 1
  }

  public override func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    ends += 1
  }
}

/// 9: a conformance from the time before the protocols were bound to the main actor.
@MainActor
public final class FormerConcurrencyShape: NSObject, @preconcurrency AVAudioPlayerDelegate,
  @preconcurrency AVAudioRecorderDelegate
{
  public private(set) var ends = 0

  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    ends += 1
  }

  public func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    ends += 1
  }
}

/// 10: an actor whose methods switch to it. On Linux, an actor that inherits from `NSObject` cannot
/// be linked.
public actor ActorShape: AVAudioPlayerDelegate, AVAudioRecorderDelegate {
  private let count = Mutex(0)
  public nonisolated var ends: Int { count.withLock { $0 } }

  public init() {}

  public nonisolated func audioPlayerDidFinishPlaying(
    _ player: AVAudioPlayer, successfully flag: Bool
  ) {
    Task { await end() }
  }

  public nonisolated func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    Task { await end() }
  }

  private func end() { count.withLock { $0 += 1 } }

  public nonisolated func isEqual(_ object: Any?) -> Bool { (object as? ActorShape) === self }
  public nonisolated var hash: Int { ObjectIdentifier(self).hashValue }
  public nonisolated func `self`() -> Self { self }
  public nonisolated func isProxy() -> Bool { false }
  public nonisolated var description: String { "an actor" }
}

/// 11: a class that is created and used on any thread. Its delegate methods have no actor
/// annotations.
public final class QueueShape: NSObject, AVAudioPlayerDelegate, AVAudioRecorderDelegate,
  @unchecked Sendable
{
  private let count = Mutex(0)
  public var ends: Int { count.withLock { $0 } }

  /// Changes the count on another thread, which a class bound to the main actor would not allow.
  public nonisolated func reset() { DispatchQueue.global().async { self.set(0) } }

  private func set(_ number: Int) { count.withLock { $0 = number } }

  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    count.withLock { $0 += 1 }
  }

  public func audioRecorderDidFinishRecording(
    _ recorder: AVAudioRecorder, successfully flag: Bool
  ) {
    count.withLock { $0 += 1 }
  }
}

/// A class without actor annotations that is changed by the handlers of its requests.
public final class AskingShape: NSObject {
  public private(set) var answers = 0

  public func ask() {
    AVAudioSession.sharedInstance().requestRecordPermission { _ in self.answers += 1 }
    AVAudioApplication.requestRecordPermission { _ in self.answers += 1 }
    AVCaptureDevice.requestAccess(for: .audio) { _ in self.answers += 1 }
  }
}
