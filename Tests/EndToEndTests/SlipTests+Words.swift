extension SlipTests {
  /// Words of other programs and of similar commands, instead of the name of a command.
  static let wordsSlips: [Slip] = [
    Slip(line: "$recorder record a.wav", told: ["did you mean \"start\"?"]),
    Slip(line: "$recorder rec", told: ["did you mean \"start\"?"]),
    Slip(line: "$recorder list", told: ["\"takes\"", "\"devices\"", "\"sound list\""]),
    Slip(line: "$recorder ls", told: ["\"takes\"", "\"devices\"", "\"sound list\""]),
    Slip(
      line: "$recorder delete a.wav", told: ["\"cancel\"", "\"sound remove\"", "ordinary file"]),
    Slip(line: "$recorder rm a.wav", told: ["\"trash\"", "\"cancel\"", "ordinary file"]),
    Slip(line: "$recorder version", told: ["recorder --version"]),
    Slip(line: "$recorder -v", told: ["did you mean \"--version\"?"]),
    Slip(line: "$recorder settings", told: ["did you mean \"config\"?"]),
    Slip(line: "$recorder config set formt flac", told: ["did you mean \"format\"?"]),
    Slip(line: "$recorder config set rate 48 kHz", told: ["write", "48 kHz"]),
    Slip(line: "$recorder allow", told: ["\"permission grant\""]),
    Slip(line: "$recorder sound ls", told: ["did you mean \"sound list\"?"]),
    Slip(line: "$recorder sound rm x", told: ["did you mean \"sound remove\"?"], never: ["cancel"]),
    Slip(line: "$recorder restore", told: ["\"undo\"", "\"recover\""]),
    Slip(line: "$recorder mv a.wav b", told: ["did you mean \"rename\"?"]),
    Slip(line: "$recorder sound volume jingle", told: ["\"sound volume\" needs a VOLUME"]),
    Slip(
      line: "start a.wav --split 1h --on-segment ./hook",
      told: ["--on-segment: cannot run \"./hook\": No such file or directory"]),
    Slip(
      line: "touch hook; start a.wav --split 1h --on-segment ./hook",
      told: ["it is not executable", "chmod +x ./hook"]),
    Slip(
      line: "touch hook; start a.wav --on-stop hook", told: ["it is not in PATH", "name: ./hook"]),
    Slip(line: "start a.wav --on-stop 'sh -c true'", told: ["not in PATH", "into a script"]),
    Slip(line: "start a.wav --on-stop './hook x'", told: ["No such file", "into a script"]),
    Slip(line: "$recorder mark two words", told: ["write recorder mark \"two words\""]),
    Slip(
      line: "$recorder mark talk \"decision two\"",
      told: [
        "write recorder mark \"talk decision two\"",
        "or recorder mark --name talk \"decision two\"",
      ]),
    Slip(line: "start -d", told: ["\"--device\" needs a value"]),
    Slip(
      line: "$recorder help start stop", told: ["one command at a time", "recorder help stop"],
      never: ["sound stop"]),
    Slip(
      line: "$recorder sound stop @2", code: 10, told: ["\"recorder sound status\" shows"],
      never: ["./@2"]),
    Slip(line: "$recorder sound help", told: ["did you mean \"help sound\"?"]),
    Slip(line: "$recorder help ls", told: ["\"takes\""]),
    Slip(line: "$recorder trim a.wav", told: ["did you mean \"export\"?"]),
    Slip(line: "$recorder convert a.wav b.flac", told: ["did you mean \"export\"?"]),
    Slip(line: "$recorder normalize a.wav", told: ["did you mean \"export\"?"]),
    Slip(line: "$recorder find talk", told: ["did you mean \"takes\"?"]),
    Slip(line: "$recorder mic", told: ["did you mean \"devices\" or \"meter\"?"]),
    Slip(line: "$recorder listen a.wav", told: ["did you mean \"play\" or \"meter\"?"]),
    Slip(line: "$recorder show", told: ["\"show\" needs a FILE"]),
    Slip(line: "$recorder undelete", told: ["did you mean \"undo\"?"]),
    Slip(line: "$recorder join a.wav b.wav", told: ["recorder export FIRST OUT --join SECOND"]),
  ]
}
