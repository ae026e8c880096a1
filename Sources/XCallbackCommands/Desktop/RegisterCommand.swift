import ArgumentParser
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration

/// Registers schemes with the desktop.
struct RegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Make the desktop send URLs of schemes to the daemon.",
        discussion: """
            It writes a desktop entry for you alone, and no file of another user. If another application has a \
            scheme, that application stays the default, unless you use '--default'. Afterwards it asks the desktop's \
            tools, and prints what they would do. 'xcallback unregister' undoes everything.

            The scheme 'xcallback' is for the answers of other applications ('xcallback call').

            It warns if no route of the configuration has the scheme. A scheme that looks like a typo of a scheme \
            that a route has needs '--force'.

            Example: xcallback register notes --default

            Exit status: 0 registered, 1 not written, or not effective, 64 usage, 78 faults of the configuration.
            """
    )

    @Argument(help: ArgumentHelp("The schemes.", valueName: "scheme"), completion: .live(.scheme))
    var schemes: [String] = []

    @Flag(help: "All schemes of the configuration, and 'xcallback'.")
    var all = false

    @Flag(name: .customLong("default"), help: "Take precedence over other applications that have the schemes.")
    var asDefault = false

    @Flag(help: "Register a scheme that no route has, even if it looks like a typo.")
    var force = false

    @Option(
        help: ArgumentHelp("This configuration instead of the one that the daemon would read.", valueName: "file"),
        completion: .file())
    var config: String?

    func validate() throws {
        _ = try SchemeNames.checked(schemes)
        if schemes.isEmpty, !all { throw ValidationError("Name schemes, or say '--all'.") }
    }

    func run() throws {
        var names = schemes
        if all { names += SchemeNames.all(in: try RouterConfiguration(checking: config)) }
        let schemes = try SchemeNames.checked(names)
        try checkRoutes(of: try SchemeNames.checked(self.schemes))
        try Registration().add(schemes, asDefault: asDefault)
        var isEffective = true
        for scheme in schemes {
            let owner = SchemeOwner(asking: scheme)
            try Terminal.print(OwnerReport(owner, in: .current))
            if asDefault ? !owner.isOurs : owner.isNobodys { isEffective = false }
        }
        if !isEffective { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }

    /// Tells of schemes that no route has; without a valid configuration, that is not known.
    private func checkRoutes(of schemes: [String]) throws(Failure) {
        guard let configuration = try? RouterConfiguration(loading: config) else { return }
        let routed = SchemeNames.all(in: configuration)
        for scheme in schemes where !routed.contains(scheme) {
            let text = "no route has the scheme '\(scheme)'\(scheme.suggestion(among: routed))"
            guard force || scheme.nearest(among: routed) == nil else {
                throw Failure(.errorAnswer, "\(text)\nnothing was registered; '--force' registers it all the same")
            }
            Terminal.printError("xcallback: \(text)")
        }
    }
}
