/// Somebody who listens: a recording under a name, or a meter, which has none and keeps nothing.
package struct Listener: Hashable, Sendable {
  package enum Kind: Sendable {
    case recording, meter
  }

  package let kind: Kind
  package let record: SessionRecord
  /// The machine that shares the home, for one that listens there; its process means nothing here.
  package let host: Host?

  package init(_ kind: Kind, _ record: SessionRecord, on host: Host? = nil) {
    self.kind = kind
    self.record = record
    self.host = host
  }
}
