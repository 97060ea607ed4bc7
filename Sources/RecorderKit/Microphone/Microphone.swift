internal import Control
internal import Linux
internal import Permission

/// The microphone and the permission to use it.
public enum Microphone {
  /// The status of access to a microphone. The raw values are those of Apple's
  /// `AVAuthorizationStatus`.
  public enum Authorization: Int, Hashable, Sendable, CaseIterable {
    /// No decision yet.
    case notDetermined = 0
    /// A policy of this machine forbids access.
    case restricted = 1
    /// The user or an environment variable refused access, or the decision cannot be read safely.
    case denied = 2
    /// Access is allowed.
    case authorized = 3
  }
}

extension Microphone {
  /// The name under which a program asks for the microphone.
  ///
  /// A decision of the user applies to one name only. The name proves nothing: any program of the
  /// user can use any name.
  public struct Client: Hashable, Sendable, CustomStringConvertible {
    /// The name: 1 to 64 of the characters `a` to `z`, `0` to `9`, `.`, `_` and `-`.
    public let name: String

    /// Creates a client. Returns nil if the name is empty, has other characters or is too long.
    public init?(_ name: String) {
      guard name != "*", Permission.Client(name) != nil else { return nil }
      self.name = name
    }

    private init(plain name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// This program, by the name of its executable. Uppercase letters become lowercase letters, and
    /// other characters that are not allowed become `-`.
    public static let current = Client(
      plain: Self.label((try? ExecutablePath.current())?.pathNames.last ?? ""))

    static func label(_ name: String) -> String {
      let bytes = name.lowercased().utf8.prefix(64).map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        case UInt8(ascii: "."), UInt8(ascii: "_"): byte
        default: UInt8(ascii: "-")
        }
      }
      return bytes.isEmpty ? "app" : String(decoding: bytes, as: UTF8.self)
    }

    /// The client as a type of `Permission`.
    var permissionClient: Permission.Client { Permission.Client(name) ?? .everyone }

    /// The name of the client's recordings. It begins with a letter or a digit.
    var sessionName: String { SessionName(name).map(\.text) ?? "take" }
  }
}
