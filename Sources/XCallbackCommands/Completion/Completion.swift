import ArgumentParser
import Glibc
import Synchronization
import XCallbackAdministration
import XCallbackClient
import XCallbackLinux
import XCallbackURL
import XCallbackWire

/// A completion that a shell requests.
struct CompletionRequest: Sendable {
    enum Kind {
        /// A URL, or the name of a route.
        case action
        case route
        /// A parameter with its value.
        case parameter
        case parameterName
        /// The name of an item of an answer.
        case item
        /// A receiver that routes deliver to, or a topic that they publish to.
        case receiver, topic
        case scheme, registeredScheme
        /// An example of 'setup', or what 'setup' and 'init' have made.
        case example, removable
    }

    /// The maximum time for the daemon's reply, because the user waits.
    private static let patience = Duration.milliseconds(300)

    /// The words before and after the completed one, without the command's name.
    let words: [String]
    /// The part of the word before the cursor.
    let prefix: String

    /// Returns the candidates, formatted for the shell; empty if the daemon does not answer.
    static func answer(_ kind: Kind, _ words: [String], _ index: Int, _ prefix: String) -> [String] {
        var others = words
        let current = words.indices.contains(index) ? others.remove(at: index) : prefix
        let request = CompletionRequest(words: others.dropFirst().map(\.unquoted), prefix: current.unquoted)
        let candidates = request.candidates(kind).filter { $0.text.hasPrefix(request.prefix) }
        return Candidate.lines(candidates, for: CompletionShell.requesting)
    }

    private func candidates(_ kind: Kind) -> [Candidate] {
        if kind == .registeredScheme { return ((try? DesktopFolders().readEntry())?.schemes ?? []).candidates }
        if kind == .example { return (((try? ExampleFolder())?.names() ?? []) + folders).candidates }
        if kind == .removable { return ((try? SetupRecord(in: UserFolders()))?.entries.map(\.name) ?? []).candidates }
        let found = Mutex<[Candidate]>([])
        let location = self.location
        try? waitFor {
            let answer = try await withTimeout(Self.patience) {
                try await candidates(kind, of: Client(socket: location))
            }
            found.withLock { $0 = answer }
        }
        return found.withLock { $0 }
    }

    /// The folders that continue the word; a name without a slash is an example.
    private var folders: [String] {
        guard let end = prefix.lastIndex(of: "/") else { return [] }
        let parent = String(prefix[...end])
        let place = parent.hasPrefix("~/") ? (variable("HOME") ?? "~") + parent.dropFirst() : parent
        return visibleEntries(of: place).filter { access("\(place)\($0)/.", F_OK) == 0 }.map { "\(parent)\($0)/" }
    }

    /// The socket that the command line names; nil if none.
    private var location: String? {
        if words.contains("--system") { return SocketLocation.systemPath }
        if words.contains("--user") { return SocketLocation.userPath() }
        let place = words.firstIndex(of: "--socket").map { $0 + 1 }
        if let place, words.indices.contains(place) { return words[place] }
        return words.first { $0.hasPrefix("--socket=") }.map { String($0.dropFirst("--socket=".count)) }
    }

    private func candidates(_ kind: Kind, of daemon: Client) async throws -> [Candidate] {
        switch kind {
        case .action:
            // Schemes, while several are possible.
            let schemes = prefix.contains(":") ? [] : try await daemon.schemes().filter { $0.hasPrefix(prefix) }
            if schemes.count > 1 { return schemes.map { Candidate(text: "\($0):/") } }
            return try await daemon.routes(beginningWith: prefix).map { route in
                // A route without captures is requested by its URL, which needs no parameters.
                let url = route.parameters.contains { $0.place == .path } ? nil : try? route.url(with: QueryItems())
                return Candidate(text: url ?? route.name, note: route.title ?? "")
            }
        case .route:
            return try await daemon.routes(beginningWith: prefix).map { Candidate(text: $0.name, note: $0.title ?? "") }
        case .scheme: return try await daemon.schemes().candidates
        case .receiver, .topic:
            let handler = kind == .receiver ? "deliver" : "publish"
            return try await daemon.routes().filter { $0.handler == handler }.compactMap(\.target).candidates
        case .parameter, .parameterName, .item:
            guard let action = words.dropFirst().first(where: { $0.contains(":") && !$0.hasPrefix("-") }),
                let route = try await daemon.routes(beginningWith: action).first(where: { $0.name == action })
            else { return [] }
            return kind == .item ? (route.returns ?? []).map { $0.candidate() } : parameters(kind, of: route)
        case .registeredScheme, .example, .removable: return []
        }
    }

    /// The parameters that are not given yet, required ones first, or the values of one.
    private func parameters(_ kind: Kind, of route: Client.CatalogueRoute) -> [Candidate] {
        let given = words.indices.dropLast().filter { ["--param", "--stdin"].contains(words[$0]) }.map { index in
            String(words[index + 1].prefix { $0 != "=" })
        }
        if kind == .parameter, prefix.contains("=") {
            let name = String(prefix.prefix { $0 != "=" })
            let parameter = route.parameters.first { $0.name == name }
            let words =
                parameter?.isFile == true
                ? paths(beginningWith: String(prefix.dropFirst(name.count + 1))) : parameter?.wordsOfValues ?? []
            return words.map { Candidate(text: "\(name)=\($0)") }
        }
        let open = route.parameters.filter { $0.type == "list" || !given.contains($0.name) }
        let sorted = open.filter(\.isRequired) + open.filter { !$0.isRequired }
        return sorted.map { $0.candidate(followedBy: kind == .parameter ? "=" : "") }
    }
}

extension CompletionKind {
    /// Completes a word from the running daemon, or from another source that changes.
    static func live(_ kind: CompletionRequest.Kind) -> CompletionKind {
        .custom { words, index, prefix in CompletionRequest.answer(kind, words, index, prefix) }
    }
}

/// A word that completion offers.
struct Candidate: Hashable {
    /// The word, as the command must receive it.
    let text: String
    /// A description, for shells that show it.
    var note = ""

    /// Formats candidates for a shell, without those that it cannot insert safely.
    static func lines(_ candidates: [Candidate], for shell: CompletionShell?) -> [String] {
        var known: Set<String> = []
        return candidates.filter { $0.text.withVisibleControls == $0.text && known.insert($0.text).inserted }
            .compactMap { candidate in
                let text = candidate.text
                let note = candidate.note.split(separator: "\n").first.map { "\($0)".withVisibleControls } ?? ""
                switch shell {
                case .zsh:
                    // A colon separates a word from its description.
                    let word = text.replacing(each: "\\", with: "\\\\").replacing(each: ":", with: "\\:")
                    return note.isEmpty ? word : "\(word):\(note)"
                // Without a note, fish shows the description of the option.
                case .fish: return "\(text)\t\(note)"
                // Bash inserts the word as it is.
                default:
                    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=+@%,*{}".contains($0) }
                    return isPlain ? text : nil
                }
            }
    }
}

/// Returns the visible files and folders whose paths begin with a text; those of folders end with a slash.
private func paths(beginningWith text: String) -> [String] {
    let folder = text.lastIndex(of: "/").map { String(text[...$0]) } ?? ""
    return visibleEntries(of: folder.isEmpty ? "." : folder).map { name in
        let isFolder = access("\(folder)\(name)/.", F_OK) == 0
        return folder + name + (isFolder ? "/" : "")
    }
}

extension Client.CatalogueRoute.Parameter {
    /// Whether its values are paths of files.
    var isFile: Bool { (elementType ?? type) == "file" }

    fileprivate func candidate(followedBy end: String = "") -> Candidate {
        let facts = [type, isRequired ? "required" : nil].compactMap(\.self).joined(separator: ", ")
        return Candidate(text: name + end, note: description ?? facts)
    }

    /// The possible values, if they are few.
    var wordsOfValues: [String] { values ?? ((elementType ?? type) == "bool" ? ["true", "false"] : []) }
}

extension [String] {
    fileprivate var candidates: [Candidate] { map { Candidate(text: $0) } }
}

extension String {
    /// The word without a shell's quotes.
    fileprivate var unquoted: String { filter { !"'\"\\".contains($0) } }
}

/// The completion script for a shell: the one of ArgumentParser, with added support for words with colons and equals signs,
/// and for words that continue.
enum CompletionScript {
    /// Returns the script for a shell; nil for an unsupported one.
    static func text(for shell: CompletionShell) -> String {
        let script = RootCommand.completionScript(for: shell)
        switch shell {
        case .bash: return bash(script)
        case .zsh: return zsh(script)
        default: return script
        }
    }

    /// Bash splits words at ':', '=' and the other characters of `COMP_WORDBREAKS`.
    ///
    /// The script joins them before the completion. Bash replaces only the last part, its second argument, so the text before
    /// that is removed from the candidates. They are inserted verbatim: `compgen -W` would run command substitutions in them.
    private static func bash(_ script: String) -> String {
        let offer = String(decoding: PackageResources.whole_words_bash, as: UTF8.self)
        return
            script
            .replacing(
                each: "__xcallback_add_completions -W \"$(__xcallback_custom_complete",
                with: "__xcallback_offer \"$(__xcallback_custom_complete"
            )
            .replacing(each: "\n_xcallback() {\n", with: "\n\(offer)\n_xcallback() {\n")
            .replacing(
                each: "complete -o filenames -F _xcallback xcallback",
                with: "complete -o filenames -F __xcallback_whole_words xcallback")
    }

    /// Adds no blank after a word that continues.
    private static func zsh(_ script: String) -> String {
        script.replacing(
            each: "    if [[ \"${#completions[@]}\" -gt 1 ]]; then\n"
                + "        __xcallback_complete \"${completions[@]:0:-1}\"\n",
            with: """
                    if [[ "${#completions[@]}" -gt 1 ]]; then
                        completions=("${completions[@]:0:-1}")
                        # No blank follows a word that goes on.
                        local -a open=("${(M)completions[@]:#*(=|\\:|/)(|:*)}")
                        local -a whole=("${completions[@]:#*(=|\\:|/)(|:*)}")
                        _describe -V '' whole -- open -S ''

                """)
    }
}
