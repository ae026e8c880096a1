import Glibc
import XCallback

/// Returns a router whose only action ends when a file exists; it writes a line when it begins.
public func slowRouter() throws -> Router {
    let file = CommandLine.arguments[1]
    return try Router(scheme: "app") { router in
        router.route("/slow") {
            print("begun")
            fflush(nil)
            while access(file, F_OK) != 0 { try await Task.sleep(for: .milliseconds(5)) }
            return "done"
        }
    }
}
