import ArgumentParser

/// Takes a registration back.
struct UnregisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Undo what 'xcallback register' has written.",
        discussion: """
            Files of other programs stay as they are. The previous default applications become the default again.

            Example: xcallback unregister notes

            Exit status: 0 none of them is registered, 1 a file cannot be changed, 64 usage.
            """
    )

    @Argument(
        help: ArgumentHelp("The schemes; default: all registered ones.", valueName: "scheme"),
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
