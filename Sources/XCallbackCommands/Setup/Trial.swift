import Synchronization
import XCallbackClient
import XCallbackLinux
import XCallbackPipeline

/// A test that opens a URL once, as a user would.
struct Trial: Sendable {
    /// The outcome.
    enum Result: Hashable {
        /// It was opened through the desktop, and answered.
        case clicked
        /// The daemon was called directly, and has answered; with the reason not to use the desktop.
        case asked(because: String)
        /// The user has declined.
        case declined
        /// It was not opened; with the reason.
        case skipped(because: String)
    }

    /// How long a click may take to reach the daemon.
    private static let patience = Duration.seconds(20)
    /// The same if the desktop's tool reports a failure.
    private static let patienceAfterFailure = Duration.seconds(10)

    /// The URL.
    let url: String
    /// A URL that succeeds once the test has had its effect; nil if none.
    let effect: String?
    /// Whether `effect` may have succeeded before; a failed attempt would leave an error in the daemon's log.
    let mayHaveEffect: Bool
    /// The client of the daemon.
    let daemon: Client

    /// Opens the URL and waits for the answer.
    ///
    /// - Throws: ``Failure`` if the answer is an error or does not arrive; `ClientError`.
    func run() async throws -> Result {
        if mayHaveEffect, let effect, case .success = try await daemon.open(effect).response {
            return .skipped(because: "its result already exists")
        }
        let isOnDisplay = variable("DISPLAY") != nil || variable("WAYLAND_DISPLAY") != nil
        let link = try await daemon.explain(url, from: .desktop)
        let isPublic = !Self.isRefused(link)
        let scheme = url.prefix { $0 != ":" }.lowercased()
        let isOurs = SchemeOwner(asking: scheme).isOurs
        if isOnDisplay, isPublic, isOurs { return try await click(asking: Self.asksUser(link)) }
        let reason =
            !isOnDisplay
            ? "there is no display to click on"
            : isPublic ? "another application opens \(scheme) URLs" : "links and web pages may not open it"
        let explanation = try await daemon.explain(url)
        if !isOnDisplay, Self.asksUser(explanation) {
            return .skipped(because: "there is no display to show the question on")
        }
        if Self.asksUser(explanation) { try printWaiting() }
        let answer = try await daemon.open(url)
        switch answer.response {
        case .success, .redirect: return .asked(because: reason)
        case .cancel: return .declined
        case .error(let error): throw failure(error.code.rawValue, error.message)
        }
    }

    /// Opens the URL with the desktop, and waits for the daemon's answer.
    private func click(asking isAsked: Bool) async throws -> Result {
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
        switch event.outcome {
        case "cancel": return .declined
        case "error" where isAsked && event.code == CallbackError.Code.unavailable.rawValue:
            return .skipped(
                because: ManagerDisplay.isMissing
                    ? "the daemon has no display to ask you on"
                    : "no dialog is installed to ask you: install zenity or kdialog")
        case "error" where isAsked && event.code == CallbackError.Code.timedOut.rawValue:
            return .skipped(because: "the question was not answered")
        case "error": throw failure(event.code ?? 0, nil)
        default: return .clicked
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

    private func printWaiting() throws(Failure) {
        try SetupLine.print("waiting", "for your answer in the dialog")
    }

    private func lostClick(_ reason: String) -> Failure {
        Failure(
            .errorAnswer,
            "the click on \(url) was lost: \(reason)\n"
                + "use '--no-try' to set the example up without a click, then 'xcallback doctor' to find the reason")
    }

    private func failure(_ code: Int, _ message: String?) -> Failure {
        let text = message.map { ": \($0.withVisibleControls)" } ?? ""
        return Failure(.errorAnswer, "\(url) failed\(text) (\(code))\nsee 'xcallback log'")
    }

    /// Whether a request would end before its handler.
    private static func isRefused(_ explanation: Client.Explanation) -> Bool {
        explanation.code != nil
    }

    /// Whether the user would be asked.
    private static func asksUser(_ explanation: Client.Explanation) -> Bool {
        explanation.hops.lazy.flatMap(\.stages).contains { $0.name == "confirm" && $0.command != nil }
    }
}
