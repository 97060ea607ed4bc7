internal import Linux

/// The user's decisions about clients of one kind, sorted by service and by the bytes of the names.
///
/// The store's file has the decisions in the same order. So a file with 20,000 decisions is read
/// without hashing a name.
package struct Records: Hashable, Sendable {
  /// The decision about one subject.
  package struct Entry: Hashable, Sendable {
    /// The service and the client.
    package let subject: Subject
    /// The decision.
    package var record: Record
  }

  /// The decisions in their order.
  package private(set) var entries: [Entry] = []

  /// The subjects of the decisions.
  package var keys: [Subject] { entries.map(\.subject) }

  /// The number of decisions.
  package var count: Int { entries.count }

  /// Whether there are no decisions.
  package var isEmpty: Bool { entries.isEmpty }

  /// The decision about a subject, or nil if there is none.
  package subscript(subject: Subject) -> Record? {
    get {
      let index = index(of: subject)
      return holds(subject, at: index) ? entries[index].record : nil
    }
    set {
      let index = index(of: subject)
      let range = index..<(holds(subject, at: index) ? index + 1 : index)
      entries.replaceSubrange(
        range, with: newValue.map { [Entry(subject: subject, record: $0)] } ?? [])
    }
  }

  /// Returns the decisions that fulfil a condition.
  package func filter(_ isKept: (Subject, Record) -> Bool) -> Records {
    var kept = Records()
    kept.entries = entries.filter { isKept($0.subject, $0.record) }
    return kept
  }

  /// Returns these decisions together with `others`, which take precedence for the same subject.
  func merging(_ others: Records) -> Records {
    var merged = Records()
    // The sort is stable, and `append` accepts only the first entry of each subject.
    for entry in (others.entries + entries).sorted(by: { $0.subject.isBefore($1.subject) }) {
      _ = merged.append(entry.subject, entry.record)
    }
    return merged
  }

  /// Appends a decision. Does nothing and returns false if the subject does not sort after all
  /// others.
  mutating func append(_ subject: Subject, _ record: Record) -> Bool {
    if let last = entries.last?.subject, !last.isBefore(subject) { return false }
    entries.append(Entry(subject: subject, record: record))
    return true
  }

  /// Reserves memory for this number of decisions.
  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Returns the index of the first decision that is not before a subject.
  private func index(of subject: Subject) -> Int {
    var range = 0..<entries.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        entries[middle].subject.isBefore(subject)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  private func holds(_ subject: Subject, at index: Int) -> Bool {
    index < entries.count && entries[index].subject == subject
  }
}

extension Records: ExpressibleByDictionaryLiteral {
  /// Creates records. Of several decisions about one subject, the last one applies.
  package init(_ records: [(Subject, Record)]) {
    for (subject, record) in records { self[subject] = record }
  }

  /// Creates records. Of several decisions about one subject, the last one applies.
  package init(dictionaryLiteral elements: (Subject, Record)...) { self.init(elements) }
}

extension Subject {
  fileprivate func isBefore(_ other: Subject) -> Bool {
    service == other.service
      ? client.name.isNameBefore(other.client.name) : service == .microphone
  }
}
