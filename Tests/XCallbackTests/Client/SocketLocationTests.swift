import Testing
import XCallback

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
}
