import CLinux
import Glibc

// The programs that the daemon starts.
extension World {
    func spawn(_ program: xcb_program, _ handle: inout Int32) -> Int {
        if isRefused(.process) { return failure([EAGAIN, ENOMEM, ENOENT][below(3)]) }
        if isRefused(.descriptor) { return failure(EMFILE) }
        var words: [String] = []
        var next = program.arguments
        while let list = next, let word = list.pointee {
            words.append(String(cString: word))
            next = list + 1
        }
        let behaviors = SimulatedProcess.Behavior.allCases
        // Most programs just answer.
        let behavior = isOneIn(2) ? .answers : behaviors[below(behaviors.count)]
        let process = SimulatedProcess(
            pid_t(10_000 + processes.count), behavior, isDetached: program.leads_session != 0,
            input: Array((words.last ?? "").utf8),
            output: (descriptors[program.output] as? PipeWriter)?.pipe,
            errors: (descriptors[program.errors] as? PipeWriter)?.pipe)
        processes.append(process)
        handle = add(ProcessHandle(process, reportsEnd: !injects(.losesExits, oneIn: 20)))
        if words.last == "sleeper" { connectStartedReceiver(as: "sleeper") }
        note("a program is started that \(behavior)", Int(process.id))
        return Int(process.id)
    }

    private func process(_ id: pid_t) -> SimulatedProcess? { processes.first { $0.id == id && !$0.isReaped } }

    func kill(_ id: pid_t, _ signal: Int32) -> Int {
        if signal == 0 {
            return processes.contains { $0.id == abs(id) && ($0.hasLeft || !$0.isReaped) } ? 0 : failure(ESRCH)
        }
        guard let process = process(abs(id)) else { return failure(ESRCH) }
        note("signal \(signal) for a program", Int(process.id))
        if !injects(.losesSignals, oneIn: 5) { process.receive(signal: signal) }
        return 0
    }

    /// Takes the status of a process that has ended.
    func reap(_ kind: idtype_t, _ number: Int32) -> (code: Int32, status: Int32)? {
        let found = kind == P_PID ? process(number) : (descriptors[number] as? ProcessHandle)?.process
        guard let process = found, !process.isReaped else { return nil }
        guard let ending = process.ending else {
            fail("the daemon waits for a program that has not ended")
            return nil
        }
        if process.isSignaled, process.hasLeft { fail("program \(process.id) is reaped before its group has ended") }
        process.reap()
        return ending
    }
}
