import ArgumentParser
import XCallbackBuiltIns
package import XCallbackClient
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackURL

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

            If no route of the configuration has the scheme, prints a warning.

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
        if all { names += SchemeNames.all(in: try RouterConfiguration(loading: config)) }
        let schemes = try SchemeNames.checked(names)
        try checkRoutes(of: try SchemeNames.checked(self.schemes))
        let start = try Registration().add(schemes, asDefault: asDefault)
        var isEffective = true
        for scheme in schemes {
            let owner = SchemeOwner(asking: scheme)
            try Terminal.print(owner.title)
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
            let suggestion = scheme.suggestion(among: routed)
            Terminal.printError("xcallback: no route has the scheme '\(scheme)'\(suggestion)")
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

/// Schemes on the command line.
enum SchemeNames {
    /// Validates names of schemes.
    ///
    /// - Parameter names: The names as written: with or without a colon, in any case.
    /// - Returns: The distinct schemes in lower case.
    /// - Throws: `ValidationError` for an invalid name, or one that cannot belong to an application.
    static func checked(_ names: [String]) throws -> [String] {
        var schemes: [String] = []
        for name in names {
            let scheme = (name.hasSuffix(":") ? String(name.dropLast()) : name).lowercased()
            let bytes = Array(scheme.utf8)
            guard !bytes.isEmpty, bytes.indices.allSatisfy({ isSchemeByte(bytes[$0], isFirst: $0 == 0) }) else {
                throw ValidationError(
                    "'\(name.withVisibleControls)' is not a scheme: expected a letter, then letters, digits, '+', '-' "
                        + "or '.'.")
            }
            guard !CallbackRules.isRefused(scheme: scheme) else {
                throw ValidationError("The scheme '\(scheme)' is reserved.")
            }
            if !schemes.contains(scheme) { schemes.append(scheme) }
        }
        return schemes
    }

    /// Returns the schemes of a configuration, including that of the daemon's own URLs.
    static func all(in configuration: RouterConfiguration) -> [String] {
        configuration.pipeline.schemes.map(\.name) + [CallbackRules.answerScheme]
    }
}

extension SchemeOwner {
    /// Whether at least one tool answers, and all that answer would start the command.
    package var isOurs: Bool { allAnswer(.entry(DesktopEntry.name)) }

    /// The entry of another application that owns the scheme; nil if none.
    var otherEntry: String? {
        [xdg, gio].lazy.compactMap { answer -> String? in
            if case .entry(let name) = answer, name != DesktopEntry.name { name } else { nil }
        }.first
    }

    /// The owner in one line, for people.
    var title: String {
        if isOurs { return "\(scheme): xcallback has it" }
        guard let name = otherEntry else {
            return hasNoHandler
                ? "\(scheme): no application has it"
                : "\(scheme): cannot find its application: neither xdg-mime nor gio is installed, or they disagree"
        }
        let folders = try? DesktopFolders()
        if let folders, let list = folders.list(deciding: scheme), !folders.canOverride(list) {
            let line = "\(DesktopEntry.type(of: scheme))=\(name)"
            return "\(scheme): \(name) has it, because \(list) says so; delete the line '\(line)' there"
        }
        return "\(scheme): \(name) has it; 'xcallback register \(scheme) --default' takes precedence over it"
    }
}
