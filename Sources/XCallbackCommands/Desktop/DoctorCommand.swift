import ArgumentParser
import XCallback
import XCallbackBuiltIns
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPipeline

/// Tells whether everything is there that URLs need on their way, and what to do about what is not.
struct DoctorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what keeps URLs from being answered, and tell what to do about it.",
        discussion: """
            It looks at the daemon and its socket, the configuration, the service, the desktop's tools, and who has \
            each scheme of the configuration. It changes nothing.

            Example: xcallback doctor

            Exit status: 0 nothing is wrong, 1 something is.
            """
    )

    @Option(help: ArgumentHelp("The configuration instead of the one that the daemon would read.", valueName: "file"))
    var config: String?

    @OptionGroup var location: SocketOption

    func run(asking daemon: Client) async throws {
        var findings = [await Self.daemonFinding(daemon)]
        findings += SocketCheck.findings(of: location.socket)
        let (schemes, configuration) = configurationFinding()
        findings.append(configuration)
        findings += ServiceCheck.findings
        findings += Self.toolFindings() + [Self.entryFinding()]
        let owners = schemes.map { SchemeOwner(asking: $0) }
        findings += owners.map(Self.finding)
        for finding in findings { try Terminal.print(finding) }
        if let scheme = owners.first(where: \.isOurs) {
            try Terminal.print(OwnerReport(scheme, in: .current))
        }
        if findings.contains(where: { $0.state == .wrong }) { throw ExitCode(ExitStatus.errorAnswer.rawValue) }
    }

    private static func daemonFinding(_ daemon: Client) async -> Finding {
        do {
            let service = try await daemon.status().service
            let name = "daemon \(service.version), process \(service.processID), on \(service.socket)"
            if service.version != Version.text {
                return Finding(
                    .odd, "\(name); this command is \(Version.text)", advice: "restart the daemon after an update")
            }
            if service.faultCount > 0, service.routeCount == 0 {
                return Finding(
                    .wrong, "\(name) serves nothing: its configuration has faults",
                    advice: "run 'xcallback check', and mend them: the next request is served then")
            }
            guard service.faultCount == 0 else {
                return Finding(
                    .wrong, "\(name) serves an older configuration: the one it has read last has faults",
                    advice: "run 'xcallback check', mend them, then 'xcallback reload'")
            }
            return Finding(.fine, "\(name), \(service.routeCount) routes")
        } catch {
            return Finding(Failure(error) ?? Failure(.errorAnswer, "\(error)"))
        }
    }

    /// The schemes of the configuration, and that of the daemon itself.
    private func configurationFinding() -> (schemes: [String], Finding) {
        do throws(ConfigurationError) {
            let configuration = try RouterConfiguration(loading: config)
            return (
                SchemeNames.all(in: configuration), Finding(.fine, "configuration \(configuration.summary)")
            )
        } catch {
            let places = ConfigurationPlaces(of: config)
            let finding =
                places.isEmpty
                ? Finding(
                    config == nil ? .odd : .wrong,
                    "there is no configuration at \(places.candidates.alternatives)",
                    advice: config == nil ? "\(places.advice), or name the daemon's with '--config FILE'" : nil)
                : Finding(.wrong, "the configuration has faults", advice: "run 'xcallback check', which shows them")
            return ([CallbackRules.answerScheme], finding)
        }
    }

    private static func toolFindings() -> [Finding] {
        let tools = [
            ("xdg-open", "xdg-utils", "no URL can be opened"),
            ("xdg-mime", "xdg-utils", "who has a scheme is not told"),
            ("gio", "libglib2.0-bin", "what GTK programs open is not told"),
            ("update-desktop-database", "desktop-file-utils", "'register' cannot tell GTK programs of schemes"),
            ("notify-send", "libnotify-bin", "errors of URLs without x-error are only in the journal"),
        ]
        let findings = tools.map { name, package, loss in
            ToolRun.isInstalled(name)
                ? Finding(.fine, name)
                : Finding(.odd, "\(name) is not installed: \(loss)", advice: "install \(package)")
        }
        let dialogs = ["zenity", "kdialog"].filter { ToolRun.isInstalled($0) }
        if !dialogs.isEmpty { return findings + [Finding(.fine, dialogs.joined(separator: ", "))] }
        let loss = "questions are notifications, or cannot be asked"
        return findings + [
            Finding(.odd, "neither zenity nor kdialog is installed: \(loss)", advice: "install zenity")
        ]
    }

    private static func entryFinding() -> Finding {
        do throws(Failure) {
            let folders = try DesktopFolders()
            guard let entry = try folders.readEntry() else {
                return try sharedEntryFinding(folders)
                    ?? Finding(.odd, "no scheme is registered for you", advice: "say 'xcallback register --all'")
            }
            if entry.isOnBus {
                let words = entry.schemes.isEmpty ? "unregister" : "register \(entry.schemes.joined(separator: " "))"
                return busFinding(folders.entry, advice: "run 'xcallback \(words)'")
            }
            return ToolRun.isExecutable(entry.program)
                ? Finding(.fine, "the desktop starts \(entry.program)")
                : Finding(
                    .wrong, "the desktop would start \(entry.program), which is not there",
                    advice: "say 'xcallback register' again with this command")
        } catch {
            return Finding(error)
        }
    }

    /// What is wrong with the entry of all users that counts for one who has none; nil if nothing is.
    private static func sharedEntryFinding(_ folders: DesktopFolders) throws(Failure) -> Finding? {
        for entry in folders.sharedEntries {
            guard let text = try entry.read() else { continue }
            if !DesktopEntry.isOnBus(text) { return nil }
            return busFinding(
                entry,
                advice: "reinstall this version, or run 'xcallback register --all', whose entry takes precedence")
        }
        return nil
    }

    private static func busFinding(_ entry: UserFile, advice: String) -> Finding {
        Finding(
            .wrong,
            "\(entry.path) says DBusActivatable=true: URLs go to the message bus, and some launchers lose them there",
            advice: advice)
    }

    private static func finding(_ owner: SchemeOwner) -> Finding {
        if owner.isOurs { return Finding(.fine, "scheme \(owner.scheme)") }
        return Finding(
            .odd, "scheme \(owner.scheme) is not handed to the daemon",
            advice: "say 'xcallback register \(owner.scheme) --default'")
    }
}
