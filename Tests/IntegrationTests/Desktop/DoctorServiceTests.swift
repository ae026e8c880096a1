import Glibc
import TestSupport
import Testing
import XCallbackTesting

/// `xcallback doctor` and `xcallback check` with a service manager, which would start the daemon.
@Suite(.blocking)
struct DoctorServiceTests {
    @Test func aSocketWhoseUnitWouldFailIsNotTouched() throws {
        let place = try ManagedSite()
        try place.site.startDaemon()
        try place.setUnits(service: "masked", socket: "active")
        let count = try place.connectionCount()
        let result = try place.site.run("xcallback", "doctor")
        #expect(result.output.contains("-     the daemon was not checked: its unit cannot start"), "\(result.output)")
        expect(try place.connectionCount(), equals: count + 1)
    }

    @Test func noOtherDaemonIsAskedThanTheNamedOne() throws {
        let place = try ManagedSite()
        try place.site.startDaemon()
        try place.setUnits(service: "active", socket: "active")
        let count = try place.connectionCount()
        let result = try place.site.run("xcallback", "doctor", "--socket", "/nonexistent")
        #expect(result.status == 1)
        expect(try place.connectionCount(), equals: count + 1)
    }

    /// The command treats a daemon that the service manager has started like one that it could start.
    @Test(arguments: ["inactive", "failed", "masked"])
    func aCheckStartsNoDaemon(service: String) throws {
        let place = try ManagedSite()
        try place.site.startDaemon()
        try place.setUnits(service: service, socket: "active")
        let file = try place.site.home.write(ManagedSite.configuration, to: "other.yaml")
        try place.site.giveAway()
        let count = try place.connectionCount()
        for words in [[], [file]] {
            let result = try place.site.run(["xcallback", "check", "--json"] + words)
            #expect(result.output.hasSuffix("\"daemon\":false,\"refusal\":null,\"reads\":null}\n"), "\(result.output)")
        }
        let named = try place.site.run("xcallback", "check", "--json", "--socket", place.socket)
        #expect(
            named.output.hasSuffix(
                "\"daemon\":false,\"refusal\":\"it does not run, and 'check' does not start it\",\"reads\":null}\n"),
            "\(named.output)")
        expect(try place.connectionCount(), equals: count + 1)
        try place.setUnits(service: "active", socket: "active")
        let asked = try place.site.run("xcallback", "check", "--json")
        #expect(asked.output.hasSuffix("\"daemon\":true,\"refusal\":null,\"reads\":null}\n"), "\(asked.output)")
    }

    @Test func aCheckAsksADaemonThatWasStartedByHandBesideItsUnits() throws {
        let place = try ManagedSite()
        try place.site.startDaemon()
        try place.setUnits(service: "inactive", socket: "inactive")
        let result = try place.site.run("xcallback", "check", "--json")
        #expect(result.output.hasSuffix("\"daemon\":true,\"refusal\":null,\"reads\":null}\n"), "\(result.output)")
    }

    @Test func whyADaemonThatIsThereWasNotAskedIsReported() throws {
        let place = try ManagedSite()
        try place.site.startDaemon()
        try place.setUnits(service: "active", socket: "active")
        try place.site.install("strange", in: "bin", "#!/bin/sh\nchmod 0 \(place.socket)\n")
        try place.site.run("strange")
        let result = try place.site.run("xcallback", "check")
        let text = "xcallback: cannot ask the daemon: cannot reach the daemon at '\(place.socket)': "
        #expect(result.status == 0)
        #expect(result.output.contains("\(text)Permission denied; "), "\(result.output)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can hide a file from the user of the test"))
    func filesThatTheUserMayNotReadAreNotLookedAt() throws {
        let place = try ManagedSite()
        let hidden = try TemporaryDirectory()
        let file = try hidden.write(ManagedSite.configuration, to: "config.yaml")
        chmod(hidden.path, 0o700)
        let result = try place.site.run("xcallback", "doctor", "--system", "--config", file)
        let text = "-     the configuration was not checked: you cannot read all of its files\n"
        #expect(result.output.contains(text), "\(result.output)")
    }

    @Test func aDaemonThatWasStartedByHandBesideItsUnitsIsNoFault() throws {
        let place = try ManagedSite()
        let daemon = try place.site.startDaemon()
        try place.setUnits(service: "inactive", socket: "inactive")
        let result = try place.site.run("xcallback", "doctor")
        #expect(
            result.output.contains(
                "note  xcallbackd.socket is inactive\n      run: kill \(daemon.id) && systemctl --user start "),
            "\(result.output)")
        #expect(result.status == 0)
        daemon.send(signal: SIGTERM)
        _ = try daemon.wait()
        let stopped = try place.site.run("xcallback", "doctor")
        #expect(stopped.output.contains("FAULT xcallbackd.socket is inactive\n      run: systemctl --user start "))
        #expect(stopped.status == 1)
    }

    @Test func aReplacedProgramOfADaemonThatWasStartedByHandIsReported() throws {
        let copy = try TemporaryDirectory()
        let path = copy.path(of: "xcallbackd")
        func run(_ words: [String]) throws { _ = try ChildProcess(words, output: copy.path(of: "output")).wait() }
        func replace() throws {
            try run([
                "/bin/sh", "-c", #"cp "$0" "$1.new" && mv "$1.new" "$1""#, RunningDaemon.program("xcallbackd"), path,
            ])
        }
        try replace()
        let daemon = try RunningDaemon(starting: ManagedSite.configuration, program: path)
        try daemon.waitUntilReady()
        for isReplaced in [false, true] {
            if isReplaced { try replace() }
            try run([RunningDaemon.program("xcallback"), "doctor", "--socket", daemon.socket])
            let output = try copy.text(of: "output")
            #expect(
                output.contains("note  the program of process \(daemon.process.id) was replaced") == isReplaced,
                "\(output)")
        }
    }

    /// With the machine's daemon, of which only the socket file must exist.
    @Test(.enabled(if: geteuid() == 0, "only root can put a file where the machine's socket is"))
    func aUsersDaemonBeforeThatOfTheMachineIsReported() throws {
        let place = try ManagedSite()
        try place.setUnits(service: "inactive", socket: "inactive")
        let script =
            "umask 022; mount -t tmpfs tmpfs /run; mkdir /run/xcallbackd; : >/run/xcallbackd/socket; exec \"$0\" \"$@\""
        let tool = ["unshare", "--mount", "--propagation=private", "sh", "-euc", script]
        try place.site.startDaemon()
        let output = try place.site.run(["xcallback", "doctor"], under: tool).output
        let note =
            "note  commands use your daemon at \(place.socket), not the system's daemon at /run/xcallbackd/socket\n"
        #expect(output.contains("\(note)      use '--system' for the system's daemon\n"), "\(output)")
    }

    @Test func aDaemonThatTheDoctorHasStartedIsThatOfTheUnit() throws {
        let place = try ManagedSite()
        let daemon = try place.site.startDaemon()
        try place.site.home.write(
            ManagedSite.configuration.replacing("/a", with: "/b"), to: ".config/xcallbackd/config.yaml")
        try place.setUnits(service: "inactive", socket: "active", then: daemon.id)
        let result = try place.site.run("xcallback", "doctor")
        #expect(
            result.output.contains(
                "files were not loaded\n      run: systemctl --user reload xcallbackd.service\n"), "\(result.output)")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can run the daemon of another user"))
    func theDaemonOfAnotherUserIsNotComparedWithTheUsersFiles() throws {
        let place = try ManagedSite()
        let daemon = try RunningDaemon(ManagedSite.configuration.replacing("/a", with: "/b"))
        chmod(daemon.socket, 0o666)
        chmod(daemon.directory.path, 0o711)
        let result = try place.site.run("xcallback", "doctor", "--socket", daemon.socket)
        #expect(result.output.contains("ok    daemon "), "\(result.output)")
        #expect(!result.output.contains("the daemon does not serve"), "\(result.output)")
    }
}
