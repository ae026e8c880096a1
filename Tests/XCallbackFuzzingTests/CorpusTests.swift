import Testing
import XCallbackFuzzing
import XCallbackTesting

/// The inputs that are checked in, with which the fuzzer begins.
@Suite(.timeLimit(.minutes(10)))
struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases)
    func everyInputOfACorpusHolds(target: FuzzTarget) throws {
        let folder = "\(packageFolder)/Tests/Corpora/\(target.rawValue)"
        let names = try namesInFolder(folder).filter { !$0.hasPrefix(".") }.sorted()
        #expect(!names.isEmpty)
        for name in names {
            do {
                try target.check(try bytesOfFile("\(folder)/\(name)"))
            } catch {
                Issue.record("Tests/Corpora/\(target.rawValue)/\(name): \(error)")
            }
        }
    }
}
