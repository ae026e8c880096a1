import Greetings
import XCallback

@main
struct GreetProgram {
    static func main() async {
        let name = CommandLine.arguments.dropFirst().joined(separator: " ")
        do {
            let output = try await Greeter().run(Greeter.SayHello(), with: .init(name: name))
            print(output.text)
        } catch let error as CallbackError {
            print("Error \(error.code.rawValue): \(error.message)")
        } catch {
            print("There is no answer: \(error)")
        }
    }
}
