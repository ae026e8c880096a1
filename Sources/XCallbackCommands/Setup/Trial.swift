import Synchronization
import XCallbackAdministration
import XCallbackClient
import XCallbackLinux
import XCallbackPipeline

/// A test that opens a URL of an example once, as a user would, and prints the outcome.
struct Trial: Sendable {
    /// How long a click may take to reach the daemon.
    private static let patience = Duration.seconds(20)
    /// The same if the desktop's tool reports a failure.
    private static let patienceAfterFailure = Duration.seconds(10)

    let url: String
    let comment: ExampleComment
    let daemon: Client

    /// Opens the URL and waits for the answer.
    func run() async throws {
        // A failed attempt would leave an error in the daemon's log.
        if comment.mayHaveMadeSomething, let effect = comment.effect,
            case .success = try await daemon.open(effect).response
        {
            return try skip("its result already exists")
        }
        let isOnDisplay = Menu.hasDisplay
        let link = try await daemon.explain(url, from: .desktop)
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if isOnDisplay, link.code == nil, SchemeOwner(asking: scheme).isOurs {
            return try await click(asking: link.asksUser)
        }
        let isAsked = try await daemon.explain(url).asksUser
        if isAsked, !isOnDisplay { return try skip("there is no display to show the question on") }
        if isAsked { try printWaiting() }
        switch try await daemon.open(url).response {
        case .success, .redirect:
            let reason =
                !isOnDisplay
                ? "there is no display to click on"
                : link.code == nil ? "another application opens \(scheme) URLs" : "links and web pages may not open it"
            try printStep("opened", "\(url), without a click: \(reason)")
            try await printEffect()
        case .cancel: try printDeclined()
        case .error(let error): throw failure(error.code.rawValue, ": \(error.message.withVisibleControls)")
        }
    }

    /// Opens the URL with the desktop, and waits for the daemon's answer.
    private func click(asking isAsked: Bool) async throws {
        let events = try await daemon.events(showingValues: true)
        if isAsked { try printWaiting() }
        let (ending, opener) = DesktopTools().click(url)
        let reason: String?
        switch ending {
        case .running, .exited(0): reason = nil
        // Some openers fail if the handler does, which has received an error or a No.
        case .exited(let status): reason = "\(opener) ended with status \(status)"
        case .notStarted(let cause): throw lostClick("cannot run \(opener): \(cause)")
        }
        let patience = reason == nil ? Self.patience : Self.patienceAfterFailure
        guard let event = try await answer(in: events, within: patience) else {
            throw lostClick(reason ?? "the daemon did not receive it within \(patience.components.seconds) s")
        }
        switch (event.outcome, event.code) {
        case ("cancel", _): try printDeclined()
        case ("error", CallbackError.Code.unavailable.rawValue) where isAsked:
            try skip(
                ManagerDisplay.isMissing
                    ? "the daemon has no display to ask you on"
                    : "no dialog is installed to ask you: install zenity or kdialog")
        case ("error", CallbackError.Code.timedOut.rawValue) where isAsked: try skip("the question was not answered")
        case ("error", let code): throw failure(code ?? 0, "")
        default:
            try printStep("clicked", url)
            try await printEffect()
        }
    }

    /// Waits for the answer to the URL.
    ///
    /// - Returns: The answer; nil if the daemon does not receive the URL in time. Once received, the daemon's own limits apply,
    ///   because a user who is asked may take some time.
    private func answer(
        in events: Client.Events<Client.Event>, within patience: Duration
    ) async throws -> Client.Event? {
        let hasBegun = Mutex(false)
        return try await withThrowingTaskGroup(of: Client.Event?.self) { group in
            group.addTask { @Sendable in
                for try await event in events where event.url == url && event.origin == .desktop {
                    if event.kind == .answer { return event }
                    hasBegun.withLock { $0 = true }
                }
                return nil
            }
            group.addTask { @Sendable in
                repeat { try await Task.sleep(for: patience) } while hasBegun.withLock { $0 }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func printEffect() async throws {
        guard let effect = comment.effect, case .success(let items) = try await daemon.open(effect).response else {
            return
        }
        try printStep("result", "'xcallback open \(effect.shellWord)' prints:")
        for item in items {
            let text = item.value.map { "\(item.name)=\($0)" } ?? item.name
            for line in text.withIndentedLines.split(separator: "\n") { try printStep("", String(line)) }
        }
    }

    private func printWaiting() throws(Failure) { try printStep("waiting", "for your answer in the dialog") }

    private func printDeclined() throws(Failure) {
        try printStep("declined", "\(url): you answered no, so nothing was done")
    }

    private func skip(_ reason: String) throws(Failure) { try printStep("not tried", "\(url): \(reason)") }

    private func lostClick(_ reason: String) -> Failure {
        Failure(
            .errorAnswer,
            "the click on \(url) was lost: \(reason)\n"
                + "use '--no-try' to set the example up without a click, then 'xcallback doctor' to find the reason")
    }

    private func failure(_ code: Int, _ text: String) -> Failure {
        Failure(.errorAnswer, "\(url) failed\(text) (\(code))\nsee 'xcallback log'")
    }
}

extension Client.Explanation {
    /// Whether the user would be asked.
    fileprivate var asksUser: Bool {
        hops.lazy.flatMap(\.stages).contains { $0.name == "confirm" && $0.command != nil }
    }
}
