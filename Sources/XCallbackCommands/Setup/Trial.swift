import XCallbackAdministration
import XCallbackClient
import XCallbackLinux
import XCallbackPipeline

/// A test that opens a URL of an example once, as a user would, and prints the outcome.
struct Trial: Sendable {
    /// How long a click may take to be answered, and how long if the user is asked first.
    private static let (patience, patienceWithQuestion) = (Duration.seconds(20), Duration.seconds(120))

    let url: String
    let comment: ExampleComment
    let daemon: Client

    /// Opens the URL and waits for the answer.
    func run() async throws {
        // A failed attempt would leave an error in the daemon's log.
        if comment.hasData, let effect = comment.effect, case .success = try await daemon.open(effect).response {
            return try skip("its result already exists")
        }
        let isOnDisplay = Menu.hasDisplay
        let link = try await daemon.explain(url, from: .desktop)
        let scheme = url.prefix { $0 != ":" }.lowercased()
        let isOurs = SchemeOwner(asking: scheme).isOurs
        if isOnDisplay, link.code == nil, isOurs { return try await click(asking: link.asksUser) }
        let isAsked = try await daemon.explain(url).asksUser
        if isAsked, !isOnDisplay { return try skip("there is no display to show the question on") }
        if isAsked { try printWaiting() }
        switch try await daemon.open(url).response {
        case .success, .redirect:
            let reason =
                !isOnDisplay
                ? "there is no display to click on"
                : isOurs ? "links and web pages may not open it" : "another application opens \(scheme) URLs"
            try Terminal.print(step: "opened", "\(url), without a click: \(reason)")
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
        // Some openers fail if the handler does, which has received an error or a No.
        let hasOpened = [.running, .exited(0)].contains(ending)
        let limit = isAsked && hasOpened ? Self.patienceWithQuestion : Self.patience
        guard let event = try await answer(in: events, within: limit) else {
            throw lostClick(hasOpened ? "the daemon did not answer it in time" : "\(opener) \(ending.text)")
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
            try Terminal.print(step: "clicked", url)
            try await printEffect()
        }
    }

    /// Waits for the answer to the URL; nil at the timeout.
    private func answer(
        in events: Client.Events<Client.Event>, within limit: Duration
    ) async throws -> Client.Event? {
        do {
            return try await withTimeout(limit) {
                for try await event in events
                where event.url == url && event.origin == .desktop && event.kind == .answer { return event }
                throw CancellationError()
            }
        } catch let error as CallbackError where error.code == .timedOut {
            return nil
        }
    }

    private func printEffect() async throws {
        guard let effect = comment.effect, case .success(let items) = try await daemon.open(effect).response else {
            return
        }
        try Terminal.print(step: "result", "'xcallback open \(effect.shellWord)' prints:")
        for item in items {
            for line in item.text.withIndentedLines.split(separator: "\n") {
                try Terminal.print(step: "", String(line))
            }
        }
    }

    private func printWaiting() throws(Failure) { try Terminal.print(step: "waiting", "for your answer in the dialog") }

    private func printDeclined() throws(Failure) {
        try Terminal.print(step: "declined", "\(url): you answered no, so nothing was done")
    }

    private func skip(_ reason: String) throws(Failure) { try Terminal.print(step: "not tried", "\(url): \(reason)") }

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
