import XCallback
import XCallbackBuiltIns
import XCallbackPipeline

/// Whether requests that are delivered have somebody who starts to receive them.
enum ReceiverCheck: DoctorCheck {
    static let name = "receivers"

    static func findings(in examination: Examination) -> [Finding] {
        guard case .success(let configuration) = examination.configuration else { return [] }
        var names: [String] = []
        for route in configuration.pipeline.routes {
            guard case .delivering(let handler) = route.chain.stages.handler.stage, handler.activation == nil,
                !names.contains(handler.name)
            else { continue }
            names.append(handler.name)
        }
        return names.map { name in
            Finding(
                .skipped, of: name,
                "whether a client receives as '\(name)' was not looked at: nothing starts one, and the daemon does not "
                    + "say who is connected",
                mend: Finding.Mend(
                    command: "xcallback listen --socket \(examination.socket.shellWord) \(name.shellWord) --json-lines"),
                advice: "that receives until Ctrl-C; 'start:' in the route starts a program instead")
        }
    }
}
