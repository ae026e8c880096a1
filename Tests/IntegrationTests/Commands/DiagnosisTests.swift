import Glibc
import Testing
import XCallbackTesting

/// A newcomer's commands when something does not work: one command names the cause, and one fixes it.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct DiagnosisTests {
    @Test func anActionWhoseProgramIsMissing() throws {
        let directory = try TemporaryDirectory()
        let daemon = try RunningDaemon(
            "schemes: [demo]\nroutes: [{ route: demo:/hello/:name, exec: [greet, \"{name}\"] }]\n",
            preparation: "PATH='\(directory.path)/bin':$PATH")
        let site = try DesktopSite(socket: daemon.socket)
        let program = try site.directory.write("#!/bin/sh\necho \"Hello $1\"\n", to: "Downloads/greet")
        let failed = try site.run("xcallback", "open", "demo:/hello/Ada")
        #expect(failed.status == 1)
        #expect(failed.output.hasPrefix("error 500: The handler failed. (request "))
        let cause =
            "program 'greet' not found in the daemon's PATH, \(directory.path)/bin:/usr/bin:/bin"
        #expect(failed.output.contains("\ncause: \(cause)\n"), "\(failed.output)")
        #expect(try site.run("xcallback", "check").output.contains(cause))
        #expect(try site.run("xcallback", "doctor").output.contains(cause))
        try site.run("install", "-D", program, "\(directory.path)/bin/greet")
        let mended = try site.run("xcallback", "open", "demo:/hello/Ada")
        #expect(mended.output == "result=Hello Ada\n")
        #expect(try !site.run("xcallback", "doctor").output.contains(cause))
    }

    @Test func aSchemeThatOpensTheWrongApplication() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path(of: "reached")
        let daemon = try RunningDaemon(
            "schemes: [notes]\nroutes: [{ route: notes:/new, public: true, exec: [touch, \(file)] }]\n")
        let site = try DesktopSite(socket: daemon.socket)
        try site.install("other", for: ["notes"], script: "tell other")
        #expect(try site.run("xcallback", "register", "notes").status == 0)
        try site.run("xdg-mime", "default", "other.desktop", "x-scheme-handler/notes")
        let opening = try site.start(["xdg-open", "notes:/new"], to: "opened")
        #expect(try site.hear() == "other")
        #expect(try opening.wait() == 0)
        let found = try site.run("xcallback", "doctor").output
        #expect(found.contains("scheme notes has routes, but other (/"), "\(found)")
        let command = "xcallback register notes --default --config \(daemon.directory.path(of: "config.yaml"))"
        #expect(found.contains("      run: \(command)\n"), "\(found)")
        #expect(try site.run("sh", "-c", command).status == 0)
        let opened = try site.run("xdg-open", "notes:/new")
        #expect(opened.status == 0, "\(opened.output)")
        #expect(try site.run("timeout", "30", "sh", "-c", "until test -e \(file); do sleep 0.01; done").status == 0)
        #expect(!site.hasMore)
    }
}
