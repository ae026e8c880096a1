import CMainLoop
import Dispatch
import Glibc
import XCallback

/// Receives as `window` and answers on the main actor, while GLib's main loop has the main thread.
@main
struct GLibHandler {
    @MainActor private static var count = 0

    static func main() throws {
        let router = try Router(scheme: "n") { router in
            router.route("/title") { @MainActor (request: Request) async throws -> Response in
                count += 1
                try await Task.sleep(for: .milliseconds(1))
                return .success(["count": "\(count)", "main": "\(getpid() == gettid())"])
            }
        }
        MainActor.assumeIsolated { attachMainActorToGLib() }
        nonisolated(unsafe) let loop = g_main_loop_new(nil, 0)
        Task.detached {
            do { try await router.serve(as: "window") } catch { print("\(error)") }
            g_main_loop_quit(loop)
        }
        g_main_loop_run(loop)
    }
}

/// Lets GLib's main loop run what the main actor and the main queue have to do.
@MainActor func attachMainActorToGLib() {
    _ = g_unix_fd_add(
        _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
        { descriptor, _, _ in
            var count: UInt64 = 0
            _ = read(descriptor, &count, 8)
            _dispatch_main_queue_callback_4CF(nil)
            return 1  // G_SOURCE_CONTINUE
        }, nil)
}
