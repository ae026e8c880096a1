import XCallbackBytes
import XCallbackConfiguration
import XCallbackPipeline
import XCallbackPrograms
import XCallbackRouting
import XCallbackURL

extension ProgramEnvironment {
    /// Decodes nothing, but reports parameters whose variables have the same name.
    ///
    /// - Parameters:
    ///   - source: The stage that runs the program.
    ///   - place: Where the program stands.
    ///   - readsInput: Whether the declared parameters are decoded by then; else only captures are in the environment.
    init(_ source: StageSource, at place: Place, readsInput: Bool) {
        var names: [String: String] = [:]
        let parameterNames =
            readsInput ? source.route.parameterNames : source.route.pattern.captures.map(\.name)
        self.init(
            parameterNames.compactMap { name in
                let variable = Parameter.variable(of: name)
                if let other = names.updateValue(name, forKey: variable) {
                    source.faults.report(
                        "the parameters \(other.quoted) and \(name.quoted) would both be \(variable) in the "
                            + "environment of the program: rename one", at: place)
                    return nil
                }
                let isList = source.route.isList(name)
                let part = Template.Part.parameter(name: Array(name.utf8), isList: isList, isOptional: true)
                return Parameter(name) { request throws(CallbackError) in try part.variable(for: request) }
            })
    }
}

extension Template.Part {
    /// The text of a variable, which is empty for an empty list; nil if the part is absent.
    ///
    /// - Throws: ``CallbackError`` 422 if a parameter that is not a list is given more than once.
    fileprivate func variable(for request: borrowing Request) throws(CallbackError) -> [UInt8]? {
        var isPresent = false
        forEachItem(request) { _, _ in isPresent = true }
        guard isPresent else { return nil }
        var text = ByteBuffer()
        try append(request, to: &text, joinedBy: UInt8(ascii: "/"))
        return text.contents
    }
}
