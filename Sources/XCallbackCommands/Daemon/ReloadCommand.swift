import ArgumentParser
import XCallbackAdministration
import XCallbackClient
import XCallbackWire

/// Makes the daemon reload its configuration.
struct ReloadCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reload the configuration, and wait for the result.",
        discussion: """
            Prints the difference, one route per line: + is new, - is removed, ~ is changed. A last line names other \
            settings that changed. Warnings and faults are printed on standard error. After faults, the daemon keeps \
            its previous configuration. Only the daemon's user and root can reload.

            Example: xcallback reload --json

            Exit status: 0 reloaded, 1 faults, 5 not allowed, 7 daemon not reachable, 64 usage.
            """
    )

    @Flag(help: "Print one JSON object: routes, added, removed, changed, settings, warnings; or faults.")
    var json = false

    @Flag(help: "Print neither the difference nor warnings and faults, which the daemon's log has.")
    var quiet = false

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        let reply = try await reply(of: daemon)
        if quiet { return }
        if json { return try Terminal.print(reply) }
        try Client.RouteChange(reading: reply).print()
    }

    /// Returns the daemon's reply; for programs, prints the faults on standard output, too.
    private func reply(of daemon: Client) async throws -> JSONValue {
        do {
            return try await ReplyWatch.wait("to read its configuration") { try await daemon.call("Reload") }
        } catch let error as ClientError {
            if quiet, case .notLoaded = error.reason { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
            if json, case .notLoaded(let faults) = error.reason { try Terminal.print(Client.Fault.report(faults)) }
            throw error
        }
    }
}

extension Client.RouteChange {
    /// Prints the warnings and the differences, for people.
    ///
    /// - Throws: ``Failure`` if standard output cannot be written.
    func print() throws(Failure) {
        for warning in warnings { Terminal.printError("warning: \(warning)".withVisibleControls) }
        let summary = "\(routeCount) \(routeCount == 1 ? "route" : "routes")"
        let lines = added.map { "+ \($0)" } + removed.map { "- \($0)" } + changed.map { "~ \($0)" }
        let difference =
            lines.isEmpty ? "as before" : "\(added.count) added, \(removed.count) removed, \(changed.count) changed"
        let others = settings.isEmpty ? [] : ["changed settings: \(settings.joined(separator: ", "))"]
        try Terminal.print(
            (["\(summary): \(difference)"] + (lines + others).map(\.withVisibleControls)).joined(separator: "\n"))
    }
}
