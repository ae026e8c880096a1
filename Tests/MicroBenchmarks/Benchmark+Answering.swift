import Glibc
import Logging
import XCallbackBuiltIns
import XCallbackBytes
import XCallbackPipeline
import XCallbackTesting
import XCallbackURL

extension Benchmark {
    /// Answers the standard request, from the bytes that were received to those that are sent.
    static func answer() throws -> Benchmark {
        let logger = Logger(label: "benchmarks") { _ in SwiftLogNoOpLogHandler() }
        let configuration = try RouterConfiguration(
            text: StandardService.configuration, name: "config.yaml", logger: logger)
        let pipeline = configuration.pipeline
        let line = Array(StandardService.request.utf8)
        let peer = Peer(userID: geteuid(), groupID: getegid(), processID: getpid())
        return Benchmark(name: "answer") { count in
            var state = PipelineState()
            var execution = Execution(peer: peer, origin: .socket)
            var output = ByteBuffer()
            let line = line.span
            for _ in 0..<count {
                output.truncate()
                let pending = execution.answer(line, from: peer, origin: .socket, in: pipeline, &state, into: &output)
                if let pending { pending.abandon() }
            }
            try BenchmarkFailure.check("answer", output.text, is: StandardService.answer)
        }
    }
}
