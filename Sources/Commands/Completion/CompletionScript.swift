internal import JSON

/// The shells with completion scripts.
enum CompletedShell: String, WordValue {
  case bash
  case zsh
  case fish

  static let placeholder = "SHELL"
}

/// The completion script of `recorder` for one shell. The script runs `recorder` for each
/// completion.
struct CompletionScript: Report {
  let shell: CompletedShell

  static let shells = Operand<CompletedShell>(.one, summary: "Shell")

  /// Returns the description of the command `completion` for the table.
  static func describe(_ words: [String]) -> Command {
    Command(
      words, section: .help, summary: "Print a shell completion script",
      details: [
        "The script completes commands, options and their values: recordings, devices, sounds, takes, "
          + "tracks, settings and files.",
        "\"make install\" installs these scripts; no other setup is needed.",
      ],
      operands: [shells],
      examples: [
        Example("recorder completion bash", "For \"source <(...)\" in bash"),
        Example("recorder completion fish", "For \"... | source\" in fish"),
      ])
  }

  func text(_ style: Style) -> String {
    switch shell {
    case .bash: Self.bash
    case .zsh: Self.zsh
    case .fish: Self.fish
    }
  }

  var keepsLines: Bool { true }

  var json: JSONObject { ["shell": shell.rawValue.json, "script": text(.plain).json] }
}

extension CompletionScript {
  /// The script for bash. Readline splits words at the characters of COMP_WORDBREAKS, and replaces
  /// only the last part of a word, `$2`. So the script joins the parts of each word, and removes
  /// the text before `$2` from each candidate.
  private static let bash = #"""
    # Completes the words of recorder in bash; made by "recorder completion bash".
    _recorder() {
      local line=${COMP_LINE:0:COMP_POINT} words=() word candidate path files=""
      for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        [[ ${words[0]-} && $line != [[:space:]]* ]] || words+=("")
        line=${line#"${line%%[![:space:]]*}"}
        word=${word:0:${#line}}
        line=${line:${#word}}
        words[-1]+=$word
      done
      words=("${words[@]//[\\\"\']/}")
      local program=${words[0]/#\~/$HOME} current=${words[-1]}
      local head=${current%"${2//[\\\"\']/}"}
      COMPREPLY=()
      while IFS=$'\t' read -r candidate _; do
        if [[ $candidate == :files ]]; then
          files=yes
        else
          printf -v candidate %q "${candidate#"$head"}"
          COMPREPLY+=("$candidate")
        fi
      done < <("$program" complete -- "${words[@]:1}" 2>/dev/null)
      [[ $files ]] || return
      compopt -o filenames 2>/dev/null
      path=$current
      [[ $path != --*=* ]] || path=${path#*=}
      while IFS= read -r candidate; do
        candidate=${current%"$path"}$candidate
        COMPREPLY+=("${candidate#"$head"}")
      done < <(compgen -f -- "$path")
    }
    complete -F _recorder recorder

    """#

  private static let zsh = #"""
    #compdef recorder
    # Completes the words of recorder in zsh; made by "recorder completion zsh".
    _recorder() {
      local -a choices
      local line files
      for line in "${(@f)$($words[1] complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        case $line in
          '') ;;
          :files) files=yes ;;
          *$'\t'*) choices+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
          *) choices+=("${line//:/\\:}") ;;
        esac
      done
      (( $#choices )) && _describe -V recorder choices
      [[ -n $files ]] || return 0
      [[ $PREFIX != --*=* ]] || compset -P '*='
      _files
    }
    # Installed, this file is the function itself; sourced, it has to be registered.
    if [[ $funcstack[1] == _recorder ]]; then _recorder "$@"; else compdef _recorder recorder; fi

    """#

  private static let fish = #"""
    # Completes the words of recorder in fish; made by "recorder completion fish".
    function __recorder_complete
      set -l words (commandline -opc)
      set -l current (commandline -ct)
      for line in (command $words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
          set -l path (string replace -r -- '^--[^=]*=' '' "$current")
          set -l option (string match -r -- '^--[^=]*=' "$current")
          for file in (complete -C "'' $path")
            echo -- "$option$file"
          end
        else
          echo -- "$line"
        end
      end
    end
    complete -c recorder -f -k -a '(__recorder_complete)'

    """#
}
