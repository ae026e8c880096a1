import Glibc
import Testing
import XCallbackDaemon
import XCallbackEventLoop
import XCallbackLinux

struct DaemonExitStatusTests {
    static let errors: [(any Error, Int32)] = [
        (ListenerError.inUse("/s"), 69),
        (ListenerError.notASocket("/s"), 73),
        (ListenerError.pathTooLong("/s", limit: 107), 73),
        (ListenerError.system("/s", SystemError("bind", code: ENOENT)), 73),
        (ListenerError.system("/s", SystemError("bind", code: EACCES)), 77),
        (ListenerError.system("/s", SystemError("mkdir", code: EROFS)), 77),
        (ListenerError.system("/s", SystemError("socket", code: EMFILE)), 71),
        (SystemError("epoll_create1", code: EMFILE), 71),
    ]

    @Test(arguments: errors)
    func theStatusSaysWhatIsWrong(error: any Error, status: Int32) {
        #expect(DaemonExitStatus(error).rawValue == status)
    }
}
