import ArgumentParser

/// Undoes a registration.
struct UnregisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Undo 'xcallback register'.",
        discussion: """
            Keeps entries of other programs, and restores the previous defaults.

            Example: xcallback unregister notes

            Exit status: 0 none of the schemes is registered now, 1 a file cannot be changed, 64 usage.
            """
    )

    @Argument(
        help: ArgumentHelp("The schemes. Default: all registered schemes.", valueName: "scheme"),
        completion: .live(.registeredScheme))
    var schemes: [String] = []

    func validate() throws {
        _ = try SchemeNames.checked(schemes)
    }

    func run() throws {
        let wanted = try SchemeNames.checked(schemes)
        let removed = try Registration().remove(wanted.isEmpty ? nil : wanted)
        for scheme in removed { try Terminal.print("\(scheme): unregistered") }
        for scheme in wanted where !removed.contains(scheme) { try Terminal.print("\(scheme): was not registered") }
    }
}
