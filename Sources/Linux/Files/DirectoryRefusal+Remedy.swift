extension DirectoryRefusal {
  /// The advice about a directory of another user, completing "to repair that, "; nil for any other flaw.
  ///
  /// It never says to give the directory away: a home that root takes over keeps its owner from logging in.
  package func remedy(
    for user: UInt32 = Environment.effectiveUser, home: String? = Environment.value(of: "HOME")
  ) -> String? {
    guard case .owner = reason else { return nil }
    let place = "\"\(PrintableText.escape(path))\""
    if user == 0 { return "use \"sudo -H\", or no sudo: HOME leads to files of another user" }
    if path == home { return "set HOME to your own home directory, as \"su -\" does" }
    return "move \(place) away, or ask its owner to"
  }
}
