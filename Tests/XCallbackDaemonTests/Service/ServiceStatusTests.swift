import Testing
import XCallbackDaemon
import XCallbackEventLoop

struct ServiceStatusTests {
    static let lines: [(@Sendable (inout ServiceStatus) -> Void, String)] = [
        ({ _ in }, "Serving 0 routes on /s, 0 connections, 0 requests, 0 errors"),
        (
            {
                ($0.routeCount, $0.connectionCount) = (1, 1)
                ($0.answerCount, $0.errorCount) = (1, 1)
            }, "Serving 1 route on /s, 1 connection, 1 request, 1 error"
        ),
        (
            {
                ($0.routeCount, $0.connectionCount) = (12, 3)
                ($0.answerCount, $0.errorCount, $0.faultCount) = (200, 4, 2)
            },
            "Serving 12 routes on /s, 3 connections, 200 requests, 4 errors; not reloaded: 2 faults, see the log"
        ),
        (
            {
                ($0.isStopping, $0.connectionCount) = (true, 2)
                ($0.waitingCount, $0.faultCount) = (1, 1)
            }, "Stopping; 2 connections, 1 request waiting"
        ),
    ]

    @Test(arguments: lines)
    func theFiguresAreOneLine(change: @Sendable (inout ServiceStatus) -> Void, line: String) {
        var status = ServiceStatus(socket: "/s")
        change(&status)
        #expect(status.description == line)
    }
}
