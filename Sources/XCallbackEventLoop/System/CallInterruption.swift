import CLinux
import Glibc

/// Runs a function in the first thread of the process and interrupts its system calls after a time limit.
///
/// From then on, each system call that blocks fails with `EINTR`. For the end of a process, when no other thread is left
/// to wait for: it changes the handler of SIGALRM for good.
///
/// - Parameters:
///   - limit: The time limit.
///   - body: The function; it must not repeat calls that fail with `EINTR`.
package func interruptCalls(after limit: Duration, of body: () -> Void) {
    var action = sigaction()
    // Without SA_RESTART. The handler does nothing: the signal itself interrupts a call.
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGALRM, &action, nil)
    var alarms = sigset_t()
    sigemptyset(&alarms)
    sigaddset(&alarms, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
    // Repeats, because the first signal can arrive right before a call.
    var timer = itimerval()
    timer.it_interval.tv_usec = 50_000
    // Zero would stop the timer.
    let time = max(nanoseconds(limit) / 1_000, 1)
    timer.it_value = timeval(tv_sec: Int(time / 1_000_000), tv_usec: Int(time % 1_000_000))
    setitimer(Int32(ITIMER_REAL.rawValue), &timer, nil)
    body()
    timer = itimerval()
    setitimer(Int32(ITIMER_REAL.rawValue), &timer, nil)
}
