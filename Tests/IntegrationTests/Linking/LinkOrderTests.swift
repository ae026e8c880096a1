import Testing
import XCallbackTesting

/// The order in which the functions of the release programs are linked.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct LinkOrderTests {
    /// The linker ignores unknown names, such as those of renamed functions.
    @Test(arguments: ["xcallbackd", "xcallback"])
    func nearlyAllNamesAreFunctionsOfTheProgram(name: String) throws {
        let defined = Set(try LinkedProgram(name).symbols.compactMap { $0.split(separator: " ").last })
        let order = try textOfPackageFile("Sources/\(name)/link.order").split(separator: "\n")
        let unknown = order.filter { !defined.contains($0) }
        #expect(order.count > 1000)
        #expect(unknown.count * 50 <= order.count, "run 'make order': \(unknown.count) names of it are unknown")
    }
}
