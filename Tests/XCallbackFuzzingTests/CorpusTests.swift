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

    /// Inputs of a corpus with some of their bytes changed, removed or doubled.
    @Test(arguments: FuzzTarget.allCases)
    func damagedInputsHold(target: FuzzTarget) throws {
        let folder = "\(packageFolder)/Tests/Corpora/\(target.rawValue)"
        let inputs = try namesInFolder(folder).sorted().map { try bytesOfFile("\(folder)/\($0)") }
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            var input = inputs[random.below(inputs.count)]
            for _ in 0...random.below(3) where !input.isEmpty {
                let start = random.below(input.count)
                let piece = input[start..<min(start + 1 + random.below(20), input.count)]
                switch random.below(3) {
                case 0: input[start] = UInt8(random.below(256))
                case 1: input.removeSubrange(piece.indices)
                default: input.insert(contentsOf: Array(piece), at: random.below(input.count))
                }
            }
            do {
                try target.check(input)
            } catch {
                Issue.record("\(String(decoding: input, as: UTF8.self)): \(error)")
            }
        }
    }
}
