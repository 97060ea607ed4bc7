/// The cost of a crash: the README, the help and `recover` say it with these words.
package enum CrashCost {
  package static let words = "at most 1 s if the program is killed, at most 2 s if the power fails"
}
