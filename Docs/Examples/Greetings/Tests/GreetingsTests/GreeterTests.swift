import Greetings
import Testing
import XCallback

@Test func aLoudGreetingIsInCapitals() async throws {
    let input = Greeter.SayHello.Input(name: "Ada", isLoud: true)
    let output = try await Greeter().run(Greeter.SayHello(), with: input, through: Greeter.router())
    #expect(output.text == "HELLO ADA!")
}
