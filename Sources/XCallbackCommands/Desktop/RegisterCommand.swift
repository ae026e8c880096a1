import ArgumentParser
import XCallbackBuiltIns
import XCallbackClient
import XCallbackConfiguration

/// Registers schemes with the desktop.
struct RegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Make links with a scheme reach the daemon.",
        discussion: """
            Writes an entry for the current user, and changes no other user's files. If another application has a \
            scheme, it stays the default unless you use '--default'. Afterwards, asks the desktop's tools which \
            application has each scheme, and prints the result. 'xcallback unregister' undoes everything.

            Without a service manager for users (OpenRC, runit), also writes ~/.config/autostart/xcallbackd.desktop, which \
            starts the daemon with your session.

            Other applications answer with URLs of the scheme 'xcallback' ('xcallback call').

            If no route of the configuration has the scheme, prints a warning. If the scheme looks like a typo of a \
            route's scheme, registers it only with '--force'.

            Example: xcallback register notes --default

            Exit status: 0 registered, 1 not written, or not effective, 64 usage, 78 configuration faults.
            """
    )

    @Argument(help: ArgumentHelp("The schemes.", valueName: "scheme"), completion: .live(.scheme))
    var schemes: [String] = []

    @Flag(help: "Register all schemes of the configuration, and 'xcallback'.")
    var all = false

    @Flag(name: .customLong("default"), help: "Take precedence over other applications that have the schemes.")
    var asDefault = false

    @Flag(help: "Register a scheme that no route has, even if it looks like a typo.")
    var force = false

    @Option(
        help: ArgumentHelp("Read this configuration instead of the daemon's.", valueName: "file"),
        completion: .file())
    var config: String?

    func validate() throws {
        _ = try SchemeNames.checked(schemes)
        if schemes.isEmpty, !all { throw ValidationError("Give schemes, or use '--all'.") }
    }

    func run() throws {
        var names = schemes
        if all { names += SchemeNames.all(in: try RouterConfiguration(checking: config)) }
        let schemes = try SchemeNames.checked(names)
        try checkRoutes(of: try SchemeNames.checked(self.schemes))
        let start = try Registration().add(schemes, asDefault: asDefault)
        var isEffective = true
        for scheme in schemes {
            let owner = SchemeOwner(asking: scheme)
            try Terminal.print(OwnerReport(owner, in: .current))
            if asDefault ? !owner.isOurs : owner.hasNoHandler { isEffective = false }
        }
        if let start { try Terminal.print("\(start): starts the daemon with your session") }
        if !isEffective { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }

    /// Reports schemes without a route; without a valid configuration, only those of web pages are checked.
    private func checkRoutes(of schemes: [String]) throws(Failure) {
        let configuration = try? RouterConfiguration(loading: config)
        let routed = configuration.map { SchemeNames.all(in: $0) }
        for scheme in DesktopEntry.webSchemes.sorted()
        where schemes.contains(scheme) && routed?.contains(scheme) != true {
            throw Failure(.usage, "no route has the scheme '\(scheme)', which web pages have; nothing was registered")
        }
        guard let configuration, let routed else { return }
        Self.reportPrivate(schemes, configuration)
        for scheme in schemes where !routed.contains(scheme) {
            let text = "no route has the scheme '\(scheme)'\(scheme.suggestion(among: routed))"
            guard force || scheme.nearest(among: routed) == nil else {
                throw Failure(.errorAnswer, "\(text)\nnothing was registered; use '--force' to register it anyway")
            }
            Terminal.printError("xcallback: \(text)")
        }
    }

    /// Reports schemes whose links reach nothing.
    private static func reportPrivate(_ schemes: [String], _ configuration: RouterConfiguration) {
        for scheme in schemes {
            let own = configuration.pipeline.routes.filter { $0.name.hasPrefix("\(scheme):") }
            guard let first = own.first, !own.contains(where: \.isPublic) else { continue }
            Terminal.printError(
                "xcallback: no route of \(scheme) is public, so its links are refused: write 'public: true' in a route that "
                    + "links and web pages may open, such as \(first.name)")
        }
    }
}
