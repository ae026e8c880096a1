import Glibc
import Testing
import XCallbackTesting

/// The units in `systemd`, as systemd-analyze(1) sees them.
@Suite(.timeLimit(.minutes(10)))
struct ServiceUnitTests {
    static let folders: [(String, [String])] = [("", []), ("user/", ["--user"])]

    @Test(arguments: folders)
    func theUnitsAreValid(folder: String, options: [String]) throws {
        try withTemporaryDirectory { directory in
            let names = ["xcallbackd.service", "xcallbackd.socket"]
            let programs = folder.isEmpty ? ["xcallbackd-run@.service", "xcallbackd-run.socket"] : []
            let units = try (names + programs).map { name in
                // Verifying asks for the programs too, which are not installed where they are tested.
                let text = try Self.unit(folder + name).map(Self.replaceProgram).joined(separator: "\n")
                try write(text, toFile: "\(directory)/\(name)")
                return "\(directory)/\(name)"
            }
            // A user's manager has such a directory.
            let command = ["env", "XDG_RUNTIME_DIR=\(directory)", "systemd-analyze", "verify", "--man=no"]
            let result = try run(command + options + units, in: directory)
            #expect(result.output == "")
            #expect(result.status == 0)
        }
    }

    @Test(arguments: folders)
    func theUnitsNameTheProgramsAndTheSocketAsTheyAreInstalled(folder: String, options: [String]) throws {
        let socket = folder.isEmpty ? "/run/xcallbackd/socket" : "%t/xcallbackd/socket"
        let service = try Self.unit(folder + "xcallbackd.service")
        #expect(service.contains("ExecStart=/usr/bin/xcallbackd"))
        #expect(
            service.contains {
                $0.hasPrefix("ExecReload=/usr/bin/xcallback reload ") && $0.hasSuffix("--socket \(socket)")
            })
        let listener = try Self.unit(folder + "xcallbackd.socket")
        #expect(listener.contains("FileDescriptorName=xcallbackd.socket"))
        #expect(listener.contains("ListenStream=\(socket)"))
    }

    /// The folder of the system's socket is root's, so the service cannot make its socket.
    @Test func onlyRootMakesTheFolderOfTheSystemsSocket() throws {
        let service = try Self.unit("xcallbackd.service")
        #expect(!service.contains { $0.hasPrefix("RuntimeDirectory") })
        for line in ["Requires=xcallbackd.socket", "PartOf=xcallbackd.socket", "After=xcallbackd.socket"] {
            #expect(service.contains(line), "\(line)")
        }
        let socket = try Self.unit("xcallbackd.socket")
        for line in ["SocketUser=root", "SocketGroup=xcallback", "SocketMode=0660", "DirectoryMode=0755"] {
            #expect(socket.contains(line), "\(line)")
        }
        #expect(try Self.unit("tmpfiles.d/xcallbackd.conf").contains("d /run/xcallbackd 2755 root xcallback -"))
    }

    /// Programs of its routes can end, and whoever keeps dying is left alone.
    @Test(arguments: folders)
    func whatKeepsTheServiceInOrderIsThere(folder: String, options: [String]) throws {
        let lines = try Self.unit(folder + "xcallbackd.service")
        for line in [
            "Type=notify", "NotifyAccess=main", "KillMode=mixed", "WatchdogSec=30s", "Restart=on-failure",
            "RestartPreventExitStatus=64 78", "StartLimitIntervalSec=1min", "StartLimitBurst=10",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func theUnitExposesLittle() throws {
        try withTemporaryDirectory { directory in
            let unit = Self.folder + "xcallbackd.service"
            let command = ["systemd-analyze", "security", "--offline=true", "--threshold=12", "--no-pager", unit]
            let result = try run(command, in: directory)
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output.contains("Overall exposure level for xcallbackd.service"))
        }
    }

    private static let folder = "\(packageFolder)/systemd/"

    private static func unit(_ name: String) throws -> [String] {
        try contents(ofFile: folder + name).split(separator: "\n").map(String.init)
    }

    private static func replaceProgram(of line: String) -> String {
        guard line.hasPrefix("Exec"), let end = line.firstIndex(of: "=") else { return line }
        return line[...end] + "/bin/true"
    }

    private func run(_ command: [String], in directory: String) throws -> (status: Int32, output: String) {
        let output = "\(directory)/output"
        guard let status = try XCallbackSystemdTests.run(command, output: output) else {
            throw TestFailure("\(command[0]) is missing: install the package systemd")
        }
        return (status, try contents(ofFile: output))
    }
}
