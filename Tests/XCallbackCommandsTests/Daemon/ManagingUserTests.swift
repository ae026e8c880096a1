import Testing
import XCallbackCommands
import XCallbackLinux

/// The user whose service manager runs a daemon, in the control group of the process.
struct ManagingUserTests {
    private static let manager = "user.slice/user-1000.slice/user@1000.service"

    @Test(
        arguments: [
            ("0::/\(manager)/app.slice/xcallbackd.service", 1000), ("0::/\(manager)/xcallbackd.service", 1000),
            ("1:name=systemd:/\(manager)/app.slice/app-own.slice/xcallbackd.service", 1000),
            ("0::/\(manager)/app.slice/other.service", nil), ("0::/system.slice/xcallbackd.service", nil),
            ("0::/", nil),
            // Those of containers, one of the machine and one of the user.
            ("0::/machine.slice/systemd-nspawn@a.service/payload/\(manager)/app.slice/xcallbackd.service", nil),
            ("0::/\(manager)/user.slice/libpod-1.scope/container/\(manager)/app.slice/xcallbackd.service", nil),
        ] as [(String, UInt32?)])
    func aDaemonInAContainerBelongsToNoUser(group: String, user: UInt32?) {
        #expect(ProcessState.managingUser(in: group[...]) == user)
    }
}
