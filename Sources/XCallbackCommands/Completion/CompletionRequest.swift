import ArgumentParser
import Glibc
import Synchronization
import XCallbackClient
import XCallbackLinux

/// A completion that a shell requests.
struct CompletionRequest: Sendable {
    /// The kind of a word.
    enum Kind: CaseIterable {
        /// A URL, or the name of a route.
        case action
        /// The name of a route.
        case route
        /// A parameter with its value.
        case parameter
        /// The name of a parameter.
        case parameterName
        /// The name of an item of an answer.
        case item
        /// A receiver that routes deliver to.
        case receiver
        /// A topic that routes publish to.
        case topic
        /// The scheme of a route.
        case scheme
        /// A registered scheme.
        case registeredScheme
        /// An example of 'setup'.
        case example
    }

    /// The maximum time for the daemon's reply, because the user waits.
    private static let patience = Duration.milliseconds(300)

    /// The words before and after the completed one, without the command's name.
    let words: [String]
    /// The part of the word before the cursor.
    let prefix: String

    /// Returns the candidates, formatted for the shell; empty if the daemon does not answer.
    static func answer(
        _ kind: Kind, _ words: [String], _ index: Int, _ prefix: String, for shell: CompletionShell?
    ) -> [String] {
        var others = words
        let current = words.indices.contains(index) ? others.remove(at: index) : prefix
        let request = CompletionRequest(
            words: others.dropFirst().map { ShellWord($0).text }, prefix: ShellWord(current).text)
        return Candidate.lines(
            request.candidates(kind), for: shell, after: variable("XCALLBACK_KEPT") ?? "")
    }

    private func candidates(_ kind: Kind) -> [Candidate] {
        switch kind {
        case .registeredScheme:
            return ((try? DesktopFolders().readEntry())?.schemes ?? []).filtered(by: prefix)
        case .example:
            return ((try? ExampleFolder().names()) ?? []).filtered(by: prefix)
        default: return daemonCandidates(kind)
        }
    }

    /// The candidates from the daemon; empty if it does not answer in time.
    private func daemonCandidates(_ kind: Kind) -> [Candidate] {
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

    /// The socket that the command line names; nil if none.
    private var location: String? {
        if words.contains("--system") { return SocketLocation.systemPath }
        if words.contains("--user") { return SocketLocation.userPath() }
        return value(of: "--socket")
    }

    private func value(of option: String) -> String? {
        if let index = words.firstIndex(of: option), index + 1 < words.count { return words[index + 1] }
        return words.first { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
    }

    private func candidates(_ kind: Kind, of daemon: Client) async throws -> [Candidate] {
        switch kind {
        case .action: return try await actions(of: daemon)
        case .route:
            return try await daemon.routes(beginningWith: prefix).map { Candidate(text: $0.name, note: $0.title ?? "") }
        case .scheme: return try await daemon.schemes().filtered(by: prefix)
        case .receiver, .topic:
            let handler = kind == .receiver ? "deliver" : "publish"
            return try await daemon.routes().filter { $0.handler == handler }.compactMap(\.target)
                .filtered(by: prefix)
        case .parameter, .parameterName, .item:
            guard let action = words.dropFirst().first(where: { $0.contains(":") && !$0.hasPrefix("-") }) else {
                return []
            }
            let completion = ActionCompletion(action)
            for beginning in completion.beginnings {
                let routes = try await daemon.routes(beginningWith: beginning)
                let route = routes.first { $0.name == action } ?? completion.route(among: routes)
                if let route { return candidates(kind, of: route) }
            }
            return []
        case .registeredScheme, .example: return []
        }
    }

    /// Schemes while several are possible, then the names of routes, or continuations of a path.
    private func actions(of daemon: Client) async throws -> [Candidate] {
        if !prefix.contains(":") {
            let schemes = try await daemon.schemes().filter { $0.hasPrefix(prefix) }
            if schemes.count != 1 { return schemes.map { Candidate(text: "\($0):/") } }
        }
        let completion = ActionCompletion(prefix)
        for beginning in completion.beginnings {
            let found = completion.candidates(try await daemon.routes(beginningWith: beginning))
            if !found.isEmpty { return found }
        }
        return []
    }

    private func candidates(_ kind: Kind, of route: Client.Route) -> [Candidate] {
        if kind == .item { return (route.returns ?? []).map(\.candidate).filter { $0.text.hasPrefix(prefix) } }
        let given = words.indices.dropLast().filter { ["--param", "--stdin"].contains(words[$0]) }.map { index in
            String(words[index + 1].prefix { $0 != "=" })
        }
        let parts = prefix.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if kind == .parameter, parts.count == 2 {
            return (route.parameters.first { $0.name == parts[0] }?.wordsOfValues ?? [])
                .map { Candidate(text: "\(parts[0])=\($0)") }.filter { $0.text.hasPrefix(prefix) }
        }
        let open = route.parameters.filter { $0.type == "list" || !given.contains($0.name) }
        let sorted = open.filter(\.isRequired) + open.filter { !$0.isRequired }
        return sorted.map { parameter in
            var candidate = parameter.candidate
            if kind == .parameter { candidate = Candidate(text: "\(candidate.text)=", note: candidate.note) }
            return candidate
        }.filter { $0.text.hasPrefix(prefix) }
    }
}

extension CompletionKind {
    /// Completes a word from the running daemon, or from another source that changes.
    static func live(_ kind: CompletionRequest.Kind) -> CompletionKind {
        .custom { words, index, prefix in
            CompletionRequest.answer(kind, words, index, prefix, for: CompletionShell.requesting)
        }
    }
}

extension Client.Route.Parameter {
    fileprivate var candidate: Candidate {
        Candidate(
            text: name,
            note: description ?? [type, isRequired ? "required" : nil].compactMap(\.self).joined(separator: ", "))
    }

    /// The possible values, if they are few.
    fileprivate var wordsOfValues: [String] {
        values ?? ((elementType ?? type) == "bool" ? ["true", "false"] : [])
    }
}

extension [String] {
    /// The distinct words with a given prefix.
    fileprivate func filtered(by prefix: String) -> [Candidate] {
        filter { $0.hasPrefix(prefix) }.map { Candidate(text: $0) }
    }
}
