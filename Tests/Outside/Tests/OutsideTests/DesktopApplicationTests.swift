import Foundation
import Testing
import XCallback

/// The application that the desktop starts with a URL, as the guide shows it.
@Suite(.timeLimit(.minutes(10)))
struct DesktopApplicationTests {
    /// Runs it with URLs; returns what the opener was given.
    private static func run(_ urls: String...) throws -> [String] {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let opener = folder.appendingPathComponent("opener").path
        let opened = folder.appendingPathComponent("opened").path
        try "#!/bin/sh\necho \"$1\" >>'\(opened)'\n".write(toFile: opener, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener)
        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
            .appendingPathComponent("readlater")
        process.arguments = urls
        process.environment = ProcessInfo.processInfo.environment.merging(["XCALLBACK_OPENER": opener]) { $1 }
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = (try? String(contentsOfFile: opened, encoding: .utf8)) ?? ""
        return lines.split(separator: "\n").map(String.init)
    }

    @Test func itOpensItsAnswers() throws {
        let opened = try Self.run(
            "readlater://x-callback-url/save?url=https%3A%2F%2Fexample.org&x-success=app:/saved",
            "readlater:/save?url=none&x-error=app:/failed", "readlater:/save?url=a:b", "readlater:/save?url=none",
            "readlater:/count?x-success=app:/count")
        #expect(
            opened == ["app:/saved", "app:/failed?errorCode=422&errorMessage=Invalid%20URL", "app:/count?result=2"])
    }
}
