import XCallbackBuiltIns
import XCallbackClient
import XCallbackLinux
import XCallbackPipeline

/// Checks whether a receiver can be started for requests that are delivered.
enum ReceiverCheck: DoctorCheck {
    static let name = "receivers"

    static func findings(in examination: Examination) -> [Finding] {
        guard let configuration = examination.configuration else { return [] }
        var names: [String] = []
        for route in configuration.pipeline.routes {
            guard case .delivering(let handler) = route.chain.stages.handler.stage, handler.activation == nil,
                !names.contains(handler.name)
            else { continue }
            names.append(handler.name)
        }
        return names.map { finding($0, examination) }
    }

    private static func finding(_ name: String, _ examination: Examination) -> Finding {
        let mend = Finding.Mend(
            command: "xcallback listen --socket \(examination.socket.shellWord) \(name.shellWord) --json-lines")
        let advice = "this receives until Ctrl-C; with 'start:', the route starts a program instead"
        guard case .success(let status) = examination.status else {
            return Finding(
                .skipped, of: name, "receivers of '\(name)' were not checked: no daemon answers")
        }
        let count = status.receivers.count { $0.name == name }
        if count > 0 {
            return Finding(
                .good, of: name, count == 1 ? "a client receives as '\(name)'" : "\(count) clients receive as '\(name)'"
            )
        }
        if status.total == nil {
            return Finding(
                .skipped, of: name,
                "receivers of '\(name)' were not checked: the daemon reports them only to its own user and root",
                mend: mend, advice: advice)
        }
        return Finding(
            .note, of: name, "no client receives as '\(name)', and the route starts no program", mend: mend,
            advice: advice)
    }
}
