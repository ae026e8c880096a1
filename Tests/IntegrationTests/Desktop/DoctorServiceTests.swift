import Glibc
import Testing
import XCallbackTesting

/// What `xcallback doctor` and `xcallback check` do beside a service manager, which would start the daemon.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DoctorServiceTests {
    @Test func aSocketWhoseUnitWouldFailIsNotTouched() throws {
        let place = try ManagedSite()
        let daemon = try place.site.startDaemon()
        try place.setUnits(service: "masked", socket: "active")
        let count = try place.connectionCount()
        let result = try place.site.run("xcallback", "doctor")
        #expect(result.output.contains("-     the daemon was not asked: its unit cannot start"), "\(result.output)")
        #expect(try place.connectionCount() == count + 1)
        daemon.send(signal: SIGTERM)
        _ = try daemon.wait()
    }

    @Test func noOtherDaemonIsAskedThanTheNamedOne() throws {
        let place = try ManagedSite()
        let daemon = try place.site.startDaemon()
        try place.setUnits(service: "active", socket: "active")
        let count = try place.connectionCount()
        let result = try place.site.run("xcallback", "doctor", "--socket", "/nonexistent")
        #expect(result.status == 1)
        #expect(try place.connectionCount() == count + 1)
        daemon.send(signal: SIGTERM)
        _ = try daemon.wait()
    }

    /// A daemon that the manager has started is one, to the command, that it could start.
    @Test(arguments: ["inactive", "failed", "masked"])
    func aCheckStartsNoDaemon(service: String) throws {
        let place = try ManagedSite()
        let daemon = try place.site.startDaemon()
        try place.setUnits(service: service, socket: "active")
        let file = try place.site.home.write(ManagedSite.configuration, to: "other.yaml")
        try place.site.giveAway()
        let count = try place.connectionCount()
        for words in [[], [file]] {
            let result = try place.site.run(["xcallback", "check", "--json"] + words)
            #expect(result.output.hasSuffix("\"daemon\":false,\"refusal\":null}\n"), "\(result.output)")
        }
        let named = try place.site.run("xcallback", "check", "--json", file, "--socket", place.socket)
        #expect(
            named.output.hasSuffix(
                "\"daemon\":false,\"refusal\":\"it does not run, and a check does not start it\"}\n"),
            "\(named.output)")
        #expect(try place.connectionCount() == count + 1)
        try place.setUnits(service: "active", socket: "active")
        let asked = try place.site.run("xcallback", "check", "--json", file)
        #expect(asked.output.hasSuffix("\"daemon\":true,\"refusal\":null}\n"), "\(asked.output)")
        daemon.send(signal: SIGTERM)
        _ = try daemon.wait()
    }

    @Test func aCheckAsksADaemonThatWasStartedByHandBesideItsUnits() throws {
        let place = try ManagedSite()
        let daemon = try place.site.startDaemon()
        try place.setUnits(service: "inactive", socket: "inactive")
        let result = try place.site.run("xcallback", "check", "--json")
        #expect(result.output.hasSuffix("\"daemon\":true,\"refusal\":null}\n"), "\(result.output)")
        daemon.send(signal: SIGTERM)
        _ = try daemon.wait()
    }

    @Test func whyADaemonThatIsThereWasNotAskedIsTold() throws {
        let place = try ManagedSite()
        let daemon = try place.site.startDaemon()
        try place.setUnits(service: "active", socket: "active")
        try place.site.install("strange", in: "bin", "#!/bin/sh\nchmod 0 \(place.socket)\n")
        try place.site.run("strange")
        let result = try place.site.run("xcallback", "check")
        let text = "xcallback: the daemon could not be asked: cannot reach the daemon at '\(place.socket)': "
        #expect(result.status == 0)
        #expect(result.output.contains("\(text)Permission denied; "), "\(result.output)")
        daemon.send(signal: SIGTERM)
        _ = try daemon.wait()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can hide a file from the user of the test"))
    func filesThatTheUserMayNotReadAreNotLookedAt() throws {
        let place = try ManagedSite()
        let hidden = try TemporaryDirectory()
        let file = try hidden.write(ManagedSite.configuration, to: "config.yaml")
        chmod(hidden.path, 0o700)
        let result = try place.site.run("xcallback", "doctor", "--system", "--config", file)
        let text = "-     the configuration was not looked at: you may not read all of its files\n"
        #expect(result.output.contains(text), "\(result.output)")
    }
}
