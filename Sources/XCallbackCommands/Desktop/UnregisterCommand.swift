import ArgumentParser

/// Takes a registration back.
struct UnregisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Take back what 'xcallback register' has written.",
        discussion: """
            What others have written stays as it is, and what was the default before is it again.

            Example: xcallback unregister notes

            Exit status: 0 none of them is registered any more, 1 a file cannot be changed, 64 usage.
            """
    )

    @Argument(
        help: ArgumentHelp("The schemes; all that are registered if they are left out.", valueName: "scheme"),
        completion: .live(.registeredScheme))
    var schemes: [String] = []

    func validate() throws {
        _ = try SchemeNames.checked(schemes)
    }

    func run() throws {
        let wanted = try SchemeNames.checked(schemes)
        let removed = try Registration().remove(wanted.isEmpty ? nil : wanted)
        for scheme in removed { try Terminal.print("\(scheme): not registered any more") }
        for scheme in wanted where !removed.contains(scheme) { try Terminal.print("\(scheme): was not registered") }
    }
}
