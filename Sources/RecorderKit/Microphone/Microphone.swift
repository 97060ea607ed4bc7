internal import Control
internal import Linux
internal import Permission

/// The microphone and the permission to listen to it.
public enum Microphone {
  /// The status of the access to a microphone; the numbers are those of Apple's `AVAuthorizationStatus`.
  public enum Authorization: Int, Hashable, Sendable, CaseIterable {
    /// Nobody has decided yet.
    case notDetermined = 0
    /// A policy of the machine forbids it.
    case restricted = 1
    /// The user has refused.
    case denied = 2
    /// Listening is allowed.
    case authorized = 3
  }
}

extension Microphone {
  /// The name in which a program asks for the microphone.
  ///
  /// A decision of the user holds for one name alone. The name proves nothing: any program of the user can use any
  /// name.
  public struct Client: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 64 of `a` to `z`, `0` to `9`, `.`, `_` and `-`.
    public let name: String

    /// A client; nil where the name has other characters, or too many.
    public init?(_ name: String) {
      guard name != "*", Permission.Client(name) != nil else { return nil }
      self.name = name
    }

    private init(plain name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// This program, by the name of its executable; characters that a name cannot have become `-`.
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

    /// The client in the terms of the permission.
    var floor: Permission.Client { Permission.Client(name) ?? .everyone }

    /// The name of its recordings, which begins with a letter or a digit.
    var sessionName: String { SessionName(name).map(\.text) ?? "take" }
  }
}
