import Logging
import XCallbackConfiguration
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The form that a link without required values opens, after a question: `ask: true`.
package struct LinkForm: Sendable {
    /// The time for the question and the form.
    package static let limit = Duration.seconds(600)
    /// The key of the data of a request: for the program, the question and the fields; afterwards, that they are filled in.
    private static let key = "@form"

    private struct Filled: Sendable {
        /// The files that the question has shown, with their paths.
        let files: [QueryItems.Item]
    }

    private let program: Program
    private let policies: [ConfirmPolicy]
    private let descriptions: [(name: String, text: String)]
    private let outputLimit: Int

    /// Creates the form of a route; reports what it cannot ask for, or about.
    init(_ declaration: RouteDeclaration, _ stages: Route.Stages, _ context: LoadContext) {
        let place = declaration.keys.keyPlace("ask") ?? declaration.start
        for parameter in declaration.input.declarations where parameter.rule.isSecret {
            context.faults.report(
                "a link must not ask for the secret \(parameter.name.quoted): leave out 'ask', or move the secret to a "
                    + "route of its own", at: place)
        }
        policies = stages.asyncPolicies.compactMap { $0.stage as? ConfirmPolicy }
        if policies.contains(where: { $0.template == nil && !$0.facts.ignoresOrigins.contains(Origin.desktop.bit) }
        ) {
            context.faults.report(
                "'ask' shows the question of 'confirm', and cannot show that of a program: expected a 'text' there",
                at: place)
        }
        var route = declaration.stageRoute
        route.runner = .spawn
        var program = Program(
            filling: StageSource(
                stage: StageDeclaration(name: "ask", place: place, node: nil), kind: .policy, context: context,
                route: route))
        // A window to choose a file begins here.
        program.folder = stages.settings.folder.map { Array($0.utf8) }
        self.program = program
        descriptions = declaration.description.parameters
        outputLimit = context.limits.output
    }

    /// Whether the user has filled in the form for a request.
    static func isFilled(_ request: Request) -> Bool { request.data[key] is Filled }

    /// The files of a request that the user has agreed to: a link of the file system may lead elsewhere by now.
    static func agreedFiles(of request: Request) -> [QueryItems.Item] { (request.data[key] as? Filled)?.files ?? [] }

    /// Asks the user for the values that a link lacks, and adds them.
    ///
    /// - Returns: The response that ends the request; nil if it continues.
    func complete(_ request: inout Request, _ host: any StageHost) async -> Response? {
        do throws(CallbackError) {
            guard let (known, fields) = try lack(of: request) else { return nil }
            let asked = try await question(about: known, fields)
            try host.beginQuestion(for: request)
            let response = await ask(asked, host)
            host.endQuestion(for: request, isNo: response == .cancel || Task.isCancelled)
            if response == .cancel { request.isAllowed = false }
            guard case .success(let items) = response else { return response }
            let own = request.parameters.filter { fields.first(named: $0.name) == nil }
            request.parameters.replace(with: own + items.filter { fields.first(named: $0.name) != nil })
            let declarations = request.matchedRoute?.stages.input.declarations.filter { $0.rule.type == .file } ?? []
            request.data[Self.key] = Filled(
                files: asked.parameters.filter { declarations.first(named: $0.name) != nil })
            request.isAllowed = true
            return nil
        } catch {
            return .error(error)
        }
    }

    /// What `explain` says about a request; empty if it asks nothing.
    func plan(for request: Request) -> StagePlan {
        guard let (_, fields) = try? lack(of: request) else { return StagePlan() }
        return StagePlan("asks the user, and then for \(fields.map(\.name).joined(separator: ", "))")
    }

    private func ask(_ request: Request, _ host: any StageHost) async -> Response {
        do {
            let result = try await program.run(for: request, host)
            return try ProgramAnswer(.json, cancelStatus: 1, outputLimit: outputLimit).response(to: result) {
                program.logEnd(result, errors: $0, isFailure: $1, for: request, host)
            }
        } catch let error as CallbackError {
            return .error(error)
        } catch {
            if !Task.isCancelled {
                program.log.failure("a form failed", ["error": "\(error)"], cause: "\(error)", for: request, host)
            }
            return .error(.internalFailure)
        }
    }

    /// Returns a request with its decoded parameters, and those to ask for; nil if none is missing that a form can add.
    ///
    /// - Throws: ``CallbackError`` if its other values are wrong.
    private func lack(of request: Request) throws(CallbackError) -> (known: Request, fields: [Input.Declaration])? {
        guard request.receivedOrigin == .desktop, let route = request.matchedRoute else { return nil }
        var known = request
        let input = route.stages.input
        try input.optional.decode(&known.parameters, plusIsSpace: route.readsForms)
        let absent = input.declarations.filter { !known.parameters.contains(name: $0.name) }
        let fields = route.queryDeclarations.filter { absent.first(named: $0.name) != nil }
        let missing = absent.filter(\.isNeeded)
        guard !missing.isEmpty, missing.allSatisfy({ fields.first(named: $0.name) != nil }) else { return nil }
        return (known, fields)
    }

    /// Returns a request with the question about it, which the program reads.
    ///
    /// - Throws: ``CallbackError`` if it names a file that it may not name.
    private func question(about request: Request, _ fields: [Input.Declaration]) async throws(CallbackError) -> Request
    {
        var asked = request
        guard let route = request.matchedRoute else { return request }
        try await asked.findFiles(of: route.stages)
        let (text, values) = try text(about: asked, of: route)
        let members = fields.map { field in
            let description = descriptions.first { areEqual($0.name, field.name) }?.text
            return field.rule.json(field.name, place: "query", isRequired: field.isNeeded, description)
        }
        let isWhole = policies.contains { $0.isWhole && $0.asks(about: request) }
        let question: JSONValue = [
            "text": .string(text), "values": .texts(values), "whole": .bool(isWhole), "fields": .array(members),
        ]
        asked.data[Self.key] = question
        return asked
    }

    /// Returns the question in its written form, with its values: that of the policies, then what it does not mention.
    private func text(about request: Request, of route: Route) throws(CallbackError) -> (String, [String]) {
        var (text, values, mentioned) = ([UInt8](), [String](), [String]())
        func append(_ part: Template.Part) throws(CallbackError) {
            if case .literal(let words) = part { return text += Question.written(words) }
            var (value, isPresent) = (ByteBuffer(), false)
            part.forEachItem(request) { _, _ in isPresent = true }
            try part.append(request, to: &value)
            mentioned.append(part.name)
            // No value can look like this, because values are in quotes.
            text += isPresent ? Question.placeholder : Array("…".utf8)
            if isPresent { values.append(String(decoding: value.contents, as: UTF8.self)) }
        }
        for template in policies.filter({ $0.asks(about: request) }).compactMap(\.template) {
            for part in template.parts { try append(part) }
            text += "\n".utf8
        }
        if text.isEmpty { text = Question.written(Array("Run the action \(route.name)?\n".utf8)) }
        let names = route.pattern.captures.map(\.name) + route.stages.input.declarations.map(\.name)
        for name in names
        where request.parameters.contains(name: name) && !mentioned.contains(name)
            && name != RequestFact.password.parameterName
        {
            text += Question.written(Array("\(name): ".utf8))
            try append(.parameter(name: Array(name.utf8), isList: true, isOptional: true))
            text += "\n".utf8
        }
        let otherCount = request.parameters.count { !names.contains($0.name) }
        if otherCount > 0 { text += "The link has \(otherCount) other values.\n".utf8 }
        return (String(decoding: text.dropLast(), as: UTF8.self), values)
    }
}

extension Input.Declaration {
    /// Whether a request without it is wrong.
    fileprivate var isNeeded: Bool { rule.isRequired && rule.defaultTexts == nil }
}
