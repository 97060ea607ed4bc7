/// Somebody who listens: a recording under a name, or a meter, which has none and keeps nothing.
package struct Listener: Hashable, Sendable {
  package enum Kind: Sendable {
    case recording, meter
  }

  package let kind: Kind
  package let record: SessionRecord

  package init(_ kind: Kind, _ record: SessionRecord) {
    self.kind = kind
    self.record = record
  }
}
