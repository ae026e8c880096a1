import ArgumentParser
import XCallback
import XCallbackBuiltIns

/// Registers schemes with the desktop.
struct RegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Let the desktop hand URLs of schemes to the daemon.",
        discussion: """
            It writes an entry for you alone, and no other user's file. Where another application has a scheme, that \
            one stays the one which the desktop starts, unless you say '--default'. Afterwards it asks the desktop's \
            tools, and tells what they would do. 'xcallback unregister' takes everything back.

            The scheme 'xcallback' is that of the URLs by which other applications answer ('xcallback call').

            Example: xcallback register notes --default

            Exit status: 0 registered, 1 not written, or not effective, 64 usage, 78 faults of the configuration.
            """
    )

    @Argument(help: ArgumentHelp("The schemes.", valueName: "scheme"))
    var schemes: [String] = []

    @Flag(help: "All schemes of the configuration, and 'xcallback'.")
    var all = false

    @Flag(name: .customLong("default"), help: "Go before other applications that have the schemes.")
    var asDefault = false

    @Option(help: ArgumentHelp("The configuration instead of the one that the daemon would read.", valueName: "file"))
    var config: String?

    func validate() throws {
        _ = try SchemeNames.checked(schemes)
        if schemes.isEmpty, !all { throw ValidationError("Name schemes, or say '--all'.") }
    }

    func run() throws {
        var names = schemes
        if all { names += SchemeNames.all(in: try RouterConfiguration(checking: config)) }
        let schemes = try SchemeNames.checked(names)
        try Registration().add(schemes, asDefault: asDefault)
        var isEffective = true
        for scheme in schemes {
            let owner = SchemeOwner(asking: scheme)
            try Terminal.print(OwnerReport(owner, in: .current))
            if asDefault ? !owner.isOurs : owner.isNobodys { isEffective = false }
        }
        if !isEffective { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }
}
