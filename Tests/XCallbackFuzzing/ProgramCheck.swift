import XCallbackBuiltIns
import XCallbackEventLoop
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// Checks that any end of a program is a response that can be written, or a failure.
///
/// The input is the kind of output, how the program has ended, and its standard output; behind a line `%%%` it is what
/// stands in standard error.
func checkPrograms(_ input: FuzzInput) throws {
    var input = input
    let kind = ProgramOutput.allCases[input.below(4)]
    let status = input.below(5)
    let output = input.takeText(before: "%%%")
    let errors = input.takeRest()
    let cancelStatus = 3
    let result = ChildResult(
        ending: status == 4 ? .killed(signal: 9) : .exited(status: Int32(status)), output: output,
        exceededOutput: false, errors: errors)

    var reports: [ArraySlice<UInt8>] = []
    let response: Response
    do throws(ProgramFailure) {
        response = try ProgramAnswer(kind, cancelStatus: cancelStatus, outputLimit: 1 << 20)
            .response(to: result) { errors, isFailure in
                reports.append(errors)
                if isFailure != [1, 2, 4].contains(status) { reports = [] }
            }
    } catch {
        try check(status == 4 || status == 0 && !isItems(output, of: kind), "it fails: \(error)")
        return try check(reports == [errors[...]], "standard error is not reported once")
    }
    try check(reports.count == 1 && errors.starts(with: reports[0]), "standard error is not reported once")
    switch response {
    case .success(let items):
        try check(status == 0 && isItems(output, of: kind), "a success: \(items)")
        if kind == .none { try check(items.isEmpty, "items of nothing: \(items)") }
    case .cancel: try check(status == cancelStatus, "a cancel")
    case .error(let error):
        try check(status == 1 || status == 2, "an error: \(error)")
        try check(reports[0].count == errors.count || error.code.rawValue > 0, "a code of \(error.code.rawValue)")
    case .redirect: throw TestFailure("a redirect")
    }
    var answer = ByteBuffer()
    PendingAnswer().write(response, to: Callbacks(), of: ActionURL(), into: &answer)
    try check(ClassifiedLine.isOneURL(answer.contents[...]), "the answer is no URL: \(answer.contents.shown)")
}

/// Whether an output is what the route says, told in the plainest way.
private func isItems(_ output: [UInt8], of kind: ProgramOutput) -> Bool {
    if kind == .none { return true }
    if kind == .json { return isObject(output) }
    return String(validating: output, as: UTF8.self) != nil && !output.contains(0)
}

/// Whether a text is a JSON object of texts, numbers, Booleans and lists of such.
private func isObject(_ text: [UInt8]) -> Bool {
    guard let naive = NaiveJSON(text), case .object(let members) = naive.value,
        naive.depth <= JSONValue.defaultDepth, !naive.hasLoneSurrogate, !naive.repeatsName
    else { return false }
    return members.allSatisfy { member in
        if member.name.utf8.contains(0) { return false }
        return switch member.value {
        case .null: true
        case .array(let elements): elements.allSatisfy { isItem($0) || $0 == .null && elements.count > 1 }
        default: isItem(member.value)
        }
    }
}

private func isItem(_ value: JSONValue) -> Bool {
    switch value {
    case .bool, .number: true
    case .string(let text): !text.utf8.contains(0)
    case .null, .array, .object: false
    }
}
