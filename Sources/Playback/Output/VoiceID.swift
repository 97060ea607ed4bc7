/// A voice of one output.
package struct VoiceID: Hashable, Sendable {
  let seat: Int
  let generation: Int
}
