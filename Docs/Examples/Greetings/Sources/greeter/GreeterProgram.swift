import Greetings
import XCallback

@main
struct GreeterProgram {
    static func main() async throws {
        let router = try Router(Greeter()) { router in
            router.answer(Greeter.SayHello()) { input in
                guard !input.name.isEmpty else { throw CallbackError(.badParameter, "Whom shall I greet?") }
                let text = "Hello \(input.name)!"
                return Greeter.SayHello.Output(text: input.isLoud == true ? text.uppercased() : text)
            }
        }
        do {
            try await router.serve(as: "greeter") { state in print("The greeter: \(state)") }
        } catch {
            print("The greeter has ended: \(error)")
        }
    }
}
