import Glibc
import Testing
import XCallbackClient
import XCallbackLinux

struct UnitFixTests {
    private static let start = "systemctl --user start xcallbackd.socket"

    private static func unit(_ name: String, _ properties: [String: String]) -> ManagedUnit {
        let all = ["Id": name, "LoadState": "loaded", "ActiveState": "inactive", "UnitFileState": "disabled"]
        return ManagedUnit(all.merging(properties) { $1 })
    }

    private static let active = ["ActiveState": "active"]
    private static let failed = ["ActiveState": "failed", "Result": "start-limit-hit"]
    private static let masked = ["LoadState": "masked", "UnitFileState": "masked"]
    private static let systemctl = "systemctl --user"

    static let fixes: [(service: [String: String], socket: [String: String], isKept: Bool, command: String?)] = [
        ([:], active, false, nil), ([:], [:], false, start),
        ([:], [:], true, "\(systemctl) enable --now xcallbackd.socket"),
        ([:], ["UnitFileState": "enabled"], true, start),
        (failed, failed, false, "\(systemctl) reset-failed xcallbackd.service xcallbackd.socket && \(start)"),
        (failed, active, false, "\(systemctl) reset-failed xcallbackd.service"),
        (masked, active, false, "\(systemctl) unmask xcallbackd.service"),
        (
            ["LoadState": "masked", "UnitFileState": "masked-runtime"], active, false,
            "\(systemctl) unmask --runtime xcallbackd.service"
        ),
        (masked, masked, false, "\(systemctl) unmask xcallbackd.service xcallbackd.socket && \(start)"),
        ([:], ["ActiveState": "active", "NeedDaemonReload": "yes"], false, "\(systemctl) daemon-reload"),
        (["LoadState": "not-found"], [:], false, nil),
        (["LoadState": "masked", "FragmentPath": "/etc/systemd/user/xcallbackd.service"], [:], false, nil),
        (["LoadState": "masked", "FragmentPath": "/etc/xdg/systemd/user/xcallbackd.service"], [:], false, nil),
    ]

    @Test(arguments: fixes)
    func theCommandMakesTheUnitsReady(
        service: [String: String], socket: [String: String], isKept: Bool, command: String?
    ) {
        setenv("XDG_RUNTIME_DIR", "/run/user/1", 0)
        let fix = UnitFix(
            service: Self.unit("xcallbackd.service", service), socket: Self.unit("xcallbackd.socket", socket),
            in: .user, isKept: isKept)
        #expect(fix?.command == command)
        #expect((fix == nil) == (service["LoadState"] == "not-found" || service["FragmentPath"] != nil))
    }
}
