import Glibc
import TestSupport
import Testing
import XCallback
import XCallbackTesting

struct SocketLocationTests {
    static let places: [(option: String?, environment: [String: String], candidates: [String])] = [
        ("/o", ["XCALLBACK_SOCKET": "/e", "XDG_RUNTIME_DIR": "/r"], ["/o"]),
        (nil, ["XCALLBACK_SOCKET": "/e", "XDG_RUNTIME_DIR": "/r"], ["/e"]),
        (nil, ["XCALLBACK_SOCKET": "", "XDG_RUNTIME_DIR": "/r"], ["/r/xcallbackd/socket", "/run/xcallbackd/socket"]),
        (nil, [:], ["/run/user/7/xcallbackd/socket", "/run/xcallbackd/socket"]),
    ]

    @Test(arguments: places)
    func theFirstPlaceThatIsGivenCounts(option: String?, environment: [String: String], candidates: [String]) {
        let location = SocketLocation(option: option, environment: { environment[$0] }, userID: 7)
        #expect(location.candidates == candidates)
    }

    /// The user's socket is away for a moment: the system's daemon is not asked instead.
    @Test func aPlaceThatHasJustChangedCounts() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path(of: "xcallbackd")
        mkdir(folder, 0o700)
        let environment = ["XDG_RUNTIME_DIR": directory.path]
        let location = SocketLocation(option: nil, environment: { environment[$0] })
        expect(try location.path(), equals: "\(folder)/socket")
        let longAgo = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder, longAgo, 0) == 0)
        #expect((try? location.path()) != "\(folder)/socket")
    }
}
