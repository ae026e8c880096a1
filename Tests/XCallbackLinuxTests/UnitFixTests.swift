import Glibc
import Testing
import XCallbackLinux

struct UnitFixTests {
    private static let start = "systemctl --user start xcallbackd.socket"

    private static func unit(_ name: String, _ properties: [String: String]) -> ManagedUnit {
        let all = ["Id": name, "LoadState": "loaded", "ActiveState": "inactive", "UnitFileState": "disabled"]
        return ManagedUnit(all.merging(properties) { $1 })
    }

    private static func command(
        service: [String: String] = [:], socket: [String: String] = [:], isKept: Bool = false
    ) -> String? {
        UnitFix(
            service: unit("xcallbackd.service", service), socket: unit("xcallbackd.socket", socket), in: .user,
            isKept: isKept
        ).command
    }

    init() {
        setenv("XDG_RUNTIME_DIR", "/run/user/1", 0)
    }

    @Test func unitsThatRunNeedNothing() {
        #expect(Self.command(socket: ["ActiveState": "active"]) == nil)
    }

    @Test func aSocketThatDoesNotRunIsStarted() {
        #expect(Self.command() == Self.start)
        #expect(Self.command(isKept: true) == "systemctl --user enable --now xcallbackd.socket")
        #expect(Self.command(socket: ["UnitFileState": "enabled"], isKept: true) == Self.start)
    }

    @Test func failuresAreForgottenFirst() {
        let service = ["ActiveState": "failed", "Result": "start-limit-hit"]
        #expect(
            Self.command(service: service, socket: ["ActiveState": "failed"])
                == "systemctl --user reset-failed xcallbackd.service xcallbackd.socket && \(Self.start)")
        #expect(
            Self.command(service: service, socket: ["ActiveState": "active"])
                == "systemctl --user reset-failed xcallbackd.service")
    }

    @Test func masksAreTakenAwayAsTheyWereMade() {
        let masked = ["LoadState": "masked", "UnitFileState": "masked"]
        let active = ["ActiveState": "active"]
        #expect(Self.command(service: masked, socket: active) == "systemctl --user unmask xcallbackd.service")
        let runtime = ["LoadState": "masked", "UnitFileState": "masked-runtime"]
        #expect(
            Self.command(service: runtime, socket: active)
                == "systemctl --user unmask --runtime xcallbackd.service")
        #expect(
            Self.command(service: masked, socket: masked)
                == "systemctl --user unmask xcallbackd.service xcallbackd.socket && \(Self.start)")
    }

    @Test func filesThatAreNewerAreRead() {
        let socket = ["ActiveState": "active", "NeedDaemonReload": "yes"]
        #expect(Self.command(socket: socket) == "systemctl --user daemon-reload")
    }

    @Test func unitsThatAreNotThereAreUnknown() {
        let fix = UnitFix(
            service: Self.unit("xcallbackd.service", ["LoadState": "not-found"]),
            socket: Self.unit("xcallbackd.socket", [:]), in: .user)
        #expect(fix.isUnknown)
        #expect(fix.command == nil)
    }
}
