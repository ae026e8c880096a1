import Greetings
import XCallback

@main
struct GreeterProgram {
    static func main() async throws {
        let router = try Greeter.router()
        if CommandLine.arguments.contains("--routes") { return print(router.routes(as: .dropIn)) }
        do {
            try await router.serve(as: "greeter") { state in print("The greeter: \(state)") }
        } catch {
            print("The greeter has ended: \(error)")
        }
    }
}
