public import Foundation
internal import Synchronization

/// The audio session of the program. The sound server mixes the sounds of all programs, so the
/// category decides only whether this program may record.
open class AVAudioSession: NSObject, @unchecked Sendable {
  // Unchecked: all mutable state is in a mutex.

  private struct State {
    var category: Category?
    var mode = Mode.default
    var options: CategoryOptions = []
    var preferredSampleRate = 0.0
  }

  private static let shared = AVAudioSession()
  private let state = Mutex(State())

  /// Returns the only instance.
  open class func sharedInstance() -> AVAudioSession { shared }

  /// The category; `soloAmbient` until one is set.
  open var category: Category { state.withLock { $0.category ?? .soloAmbient } }
  /// The mode that was set. It has no effect here.
  open var mode: Mode { state.withLock { $0.mode } }
  /// The options that were set. They have no effect here.
  open var categoryOptions: CategoryOptions { state.withLock { $0.options } }

  /// Sets the category.
  open func setCategory(_ category: Category) throws {
    try setCategory(category, mode: .default, options: [])
  }

  /// Sets the category. The options have no effect here.
  open func setCategory(_ category: Category, options: CategoryOptions) throws {
    try setCategory(category, mode: .default, options: options)
  }

  /// Sets the category. The mode and the options have no effect here.
  open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
    state.withLock { ($0.category, $0.mode, $0.options) = (category, mode, options) }
  }

  /// Sets the mode, which has no effect here.
  open func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }

  /// If `active` is false, stops all running players and recorders, and throws `isBusy` if any was
  /// running, as on Apple's systems. If `active` is true, does nothing.
  open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
    guard !active, RunningSounds.stopAll() > 0 else { return }
    throw NSError(
      domain: NSOSStatusErrorDomain, code: ErrorCode.isBusy.rawValue,
      userInfo: [
        NSLocalizedDescriptionKey: "players or recorders were running; they have been stopped"
      ])
  }

  /// The rate that was set, or 0 if none was set.
  open var preferredSampleRate: Double { state.withLock { $0.preferredSampleRate } }
  /// Stores a rate. It has no effect, because each recorder uses the rate in its settings.
  open func setPreferredSampleRate(_ rate: Double) throws {
    state.withLock { $0.preferredSampleRate = rate }
  }

  /// The current permission of this program. Reading it never asks the user.
  open var recordPermission: RecordPermission {
    AVAuthorizationStatus.current(.undetermined, .denied, .granted)
  }

  /// Asks in the terminal if nothing is decided yet, and calls the handler once, asynchronously.
  @preconcurrency
  open func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    AVCaptureDevice.requestAccess(for: .audio, completionHandler: response)
  }

  /// Whether the category permits recording; true until a category is set.
  var allowsRecording: Bool {
    guard let category = state.withLock({ $0.category }) else { return true }
    return [.record, .playAndRecord, .multiRoute].contains(category)
  }
}

extension AVAudioSession {
  /// A category of sound use.
  public struct Category: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the constant.
    public let rawValue: String
    /// Creates the category with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Plays alongside other programs.
    public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
    /// Plays alone; the default.
    public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
    /// Plays, but does not record.
    public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
    /// Records.
    public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
    /// Plays and records.
    public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
    /// Plays and records on several devices.
    public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
  }

  /// A refinement of a category.
  public struct Mode: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the constant.
    public let rawValue: String
    /// Creates the mode with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The default mode.
    public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
    /// Voice calls over a network.
    public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
    /// Video calls.
    public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
    /// Measurement: sound without processing.
    public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
    /// Playback of spoken content.
    public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
    /// Playback of films.
    public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
    /// Sound that is recorded with a video.
    public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
    /// Spoken directions.
    public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
  }

  /// The options of a category.
  public struct CategoryOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The options of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Plays alongside other programs.
    public static let mixWithOthers = CategoryOptions(rawValue: 1)
    /// Makes other programs quieter.
    public static let duckOthers = CategoryOptions(rawValue: 2)
    /// Allows Bluetooth headsets.
    public static let allowBluetooth = CategoryOptions(rawValue: 4)
    /// Uses the loudspeaker instead of the receiver.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
    /// Interrupts the spoken audio of other programs.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)
    /// Allows Bluetooth headphones.
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 32)
    /// Allows AirPlay loudspeakers.
    public static let allowAirPlay = CategoryOptions(rawValue: 64)
  }

  /// The options of `setActive`.
  public struct SetActiveOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The options of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Notifies other programs that they may resume.
    public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
  }

  /// The error codes of a session.
  public enum ErrorCode: Int, Error, Sendable {
    /// Players or recorders were running; `!act`.
    case isBusy = 560_030_580
  }

  /// The permission to record. The raw values are four-character codes.
  public enum RecordPermission: UInt, Sendable {
    /// No decision yet; `undt`.
    case undetermined = 1_970_168_948
    /// The user or a policy of this machine forbids recording; `deny`.
    case denied = 1_684_369_017
    /// Recording is allowed; `grnt`.
    case granted = 1_735_552_628
  }
}

/// A player or a recorder that `setActive(false)` stops.
protocol RunningSound: AnyObject, Sendable {
  /// Stops the player or the recorder. Returns true if it was running.
  func stopForSession() -> Bool
}

/// The players and recorders of this process, held weakly.
enum RunningSounds {
  private struct Member: Sendable {
    weak let sound: (any RunningSound)?
  }

  private static let members = Mutex<[ObjectIdentifier: Member]>([:])

  static func add(_ sound: any RunningSound) {
    members.withLock { $0[ObjectIdentifier(sound)] = Member(sound: sound) }
  }

  static func remove(_ sound: any RunningSound) {
    members.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(sound)) }
  }

  /// Stops all running players and recorders, and returns their number.
  static func stopAll() -> Int {
    let sounds = members.withLock { $0.values.compactMap(\.sound) }
    return sounds.filter { $0.stopForSession() }.count
  }
}
