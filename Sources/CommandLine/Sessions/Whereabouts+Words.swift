internal import Control
package import Store

extension Whereabouts {
  /// The place in a sentence, such as `process 7`.
  package var words: String {
    switch self {
    case .process(let number): "process \(number)"
    case .program(let number): "in the program of process \(number)"
    case .host(let name): "on \(quoted(name))"
    case .unknown: "on another machine or in another container"
    }
  }

  /// The advice for ending a recording that cannot be reached.
  package func remedy(_ name: String) -> String {
    switch self {
    case .process(let number): "\"kill -TERM \(number)\" ends it and saves the file"
    case .program(let number): "end the program of process \(number), which records by itself"
    case .host(let host): "\"recorder stop \(name)\" ends it, typed on \(quoted(host))"
    case .unknown: "\"recorder stop \(name)\" ends it, typed where it was started"
    }
  }

  /// The command for ending it, for a labelled row.
  package func command(_ name: String) -> String {
    switch self {
    case .process(let number): "kill -TERM \(number)"
    case .program(let number): "end the program of process \(number)"
    case .host(let host): "recorder stop \(name), on \(printable(host))"
    case .unknown: "recorder stop \(name), where it was started"
    }
  }
}
