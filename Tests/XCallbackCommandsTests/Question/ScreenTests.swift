import Testing
import XCallbackCommands
import XCallbackTesting

/// Whether a display accepts connections.
struct ScreenTests {
    private static func isReachable(_ variables: [String: String]) -> Bool {
        Screen(environment: { variables[$0] }).isReachable
    }

    @Test func aSocketThatIsListenedToIsADisplay() throws {
        let directory = try TemporaryDirectory()
        let server = try SocketServer(directory.path(of: "wayland-7")) { _ in }
        #expect(Self.isReachable(["WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": directory.path]))
        #expect(Self.isReachable(["WAYLAND_DISPLAY": directory.path(of: "wayland-7")]))
        #expect(!Self.isReachable(["WAYLAND_DISPLAY": "wayland-8", "XDG_RUNTIME_DIR": directory.path]))
        #expect(!Self.isReachable(["WAYLAND_DISPLAY": "wayland-7"]))
        withExtendedLifetime(server) {}
    }

    @Test(arguments: ["", ":", ":65535", "unix:65535.0", ":x", "65535", "localhost"])
    func whereNothingListensThereIsNone(display: String) {
        #expect(!Self.isReachable(["DISPLAY": display]))
    }

    @Test func theDisplayOfAnotherMachineIsLeftToPrograms() {
        #expect(Self.isReachable(["DISPLAY": "localhost:10.0"]))
        #expect(!Self.isReachable([:]))
    }
}
