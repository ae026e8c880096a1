import Synchronization
import XCallbackClient
import XCallbackLinux
import XCallbackPipeline

/// A URL that is opened once, as a user would, to see that it works.
struct Trial: Sendable {
    /// What has become of it.
    enum Result: Hashable {
        /// It was opened with the desktop, and answered.
        case clicked
        /// The daemon was asked itself, and has answered: why not the desktop.
        case asked(because: String)
        /// The user has said no.
        case declined
        /// It was not opened: why.
        case skipped(because: String)
    }

    /// How long a click may take until the daemon has it.
    private static let patience = Duration.seconds(20)
    /// How long it may take if the desktop's tool says that it has failed.
    private static let patienceAfterFailure = Duration.seconds(10)

    /// The URL.
    let url: String
    /// A URL that succeeds once it has had its effect; nil if there is none.
    let effect: String?
    /// Whether that may have succeeded before; to ask in vain would leave an error in the daemon's log.
    let mayHaveEffect: Bool
    /// What asks the daemon.
    let daemon: Client

    /// Opens the URL, and waits for the answer.
    ///
    /// - Throws: ``Failure`` if the answer is an error, or none comes; `ClientError`.
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

    /// Lets the desktop open the URL, and waits until the daemon has answered it.
    private func click(asking isAsked: Bool) async throws -> Result {
        let events = try await daemon.events(showingValues: true)
        if isAsked { try printWaiting() }
        let (ending, opener) = DesktopTools().click(url)
        let reason: String?
        switch ending {
        case .running, .exited(0): reason = nil
        // Some openers fail if the handler does, which has got an error, or a no.
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
            return .skipped(because: "no dialog is installed to ask you: install zenity or kdialog")
        case "error" where isAsked && event.code == CallbackError.Code.timedOut.rawValue:
            return .skipped(because: "the question was not answered")
        case "error": throw failure(event.code ?? 0, nil)
        default: return .clicked
        }
    }

    /// Waits for the answer to the URL.
    ///
    /// - Returns: The answer; nil if the daemon has not got the URL in time. Once it has, its own limits count, as a user
    ///   who is asked may take some time.
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
        return Failure(
            .errorAnswer, "\(url) ended with the error \(code)\(text)\nsee 'xcallback log --last'")
    }

    /// Whether a request would end before its handler.
    private static func isRefused(_ explanation: Client.Explanation) -> Bool {
        if explanation.fault != nil { return true }
        guard let hop = explanation.hops.last else { return true }
        return hop.parameters == nil
    }

    /// Whether the user would be asked.
    private static func asksUser(_ explanation: Client.Explanation) -> Bool {
        explanation.hops.lazy.flatMap(\.stages).contains { $0.name == "confirm" && $0.verdict == .open }
    }
}
