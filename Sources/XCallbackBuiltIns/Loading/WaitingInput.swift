import Glibc
import Synchronization
import XCallbackEventLoop
import XCallbackLinux
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// Decodes the input of a route that can wait for it: for the user whom a link asks, or for the disk of a file.
struct WaitingInput: HostedMiddleware {
    /// The form of the route; nil for none.
    let form: LinkForm?

    var limit: Duration? { form == nil ? nil : LinkForm.limit }

    func receive(_ request: inout Request, _ host: any StageHost) async -> MiddlewareResult {
        guard let route = request.matchedRoute else { return .proceed }
        if let response = await form?.complete(&request, host) { return .answer(response) }
        do throws(CallbackError) {
            try route.stages.input.decode(&request.parameters, plusIsSpace: route.readsForms)
            try await request.findFiles(of: route.stages, agreed: LinkForm.agreedFiles(of: request))
            return .proceed
        } catch {
            return .answer(.error(error))
        }
    }

    func plan(for request: Request) -> StagePlan { form?.plan(for: request) ?? StagePlan() }
}

extension Input {
    /// Whether a parameter is a file.
    var hasFiles: Bool { declarations.contains { $0.rule.type == .file } }
}

extension Request {
    /// Replaces the parameters that are files with their paths, without links.
    ///
    /// - Parameters:
    ///   - stages: The stages of the route.
    ///   - agreed: The files that were found before, in their order, which are not looked for again.
    /// - Throws: ``CallbackError`` 422 if there is no such file, or if a link, an assistant or another user may not name it.
    mutating func findFiles(
        of stages: Route.Stages, agreed: [QueryItems.Item] = []
    ) async throws(CallbackError) {
        let declarations = stages.input.declarations.filter { $0.rule.type == .file }
        var (items, agreed, places) = (Array(parameters), agreed, [Int]())
        for index in items.indices where declarations.first(named: items[index].name) != nil {
            if let next = agreed.firstIndex(where: { $0.name == items[index].name }) {
                items[index] = agreed.remove(at: next)
            } else if items[index].value != nil {
                places.append(index)
            }
        }
        if places.isEmpty { return parameters.replace(with: items) }
        let texts = places.map { items[$0].value ?? "" }
        let isConfined = receivedOrigin.isForeign || ![0, geteuid()].contains(peer.userID)
        let folder = stages.settings.folder
        let busy = CallbackError(.unavailable, "The system cannot look for files at the moment.")
        guard
            lookUpCount.withLock({ count in
                count < lookUpLimit
                    ? {
                        count += 1; return true
                    }() : false
            })
        else { throw busy }
        let paths = try? await WorkQueue().run {
            defer { lookUpCount.withLock { $0 -= 1 } }
            return texts.map { pathOfFile($0, in: folder, isConfined: isConfined) }
        }
        guard let paths else {
            // The system has no thread, so nothing was run.
            lookUpCount.withLock { $0 -= 1 }
            throw busy
        }
        for (place, path) in zip(places, paths) {
            guard let path else {
                let limit = isConfined ? " in the folder of the action" : ", with its absolute path"
                throw CallbackError(
                    .badParameter, "Parameter '\(items[place].name)' must be a file or a folder that exists\(limit).")
            }
            items[place] = QueryItems.Item(name: items[place].name, value: path)
        }
        parameters.replace(with: items)
    }
}

/// The number of look-ups in progress, and the maximum: on a disk that hangs, each keeps a thread.
private let lookUpCount = Mutex(0)
private let lookUpLimit = 16

/// Returns the path of the file that a value names: an absolute path, one relative to a folder, or a `file:` URL.
///
/// - Parameters:
///   - text: The value.
///   - folder: The folder of the route; nil for none.
///   - isConfined: Whether the file must lie below the folder.
/// - Returns: The path without links; nil if there is no such file or folder.
private func pathOfFile(_ text: String, in folder: String?, isConfined: Bool) -> String? {
    var path = Array(text.utf8)
    if text.lowercased().hasPrefix("file:") {
        var rest = path.dropFirst("file:".utf8.count)
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            if rest.starts(with: "localhost/".utf8) { rest = rest.dropFirst("localhost".utf8.count) }
        }
        guard rest.first == UInt8(ascii: "/"), let decoded = percentDecoded(Array(rest).span) else { return nil }
        path = decoded
    }
    guard !path.contains(0), let name = String(validating: path, as: UTF8.self) else { return nil }
    guard isConfined else {
        let base = path.first == UInt8(ascii: "/") ? "" : folder.map { "\($0)/" }
        return base.flatMap { existingPath($0 + name) }
    }
    guard let folder else { return nil }
    var rest = path[...]
    if path.first == UInt8(ascii: "/") {
        let bases = [folder, realPath(folder)].compactMap { $0 }.map { base in
            Array(base.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed()) + [UInt8(ascii: "/")]
        }
        guard let base = bases.first(where: { (path + [UInt8(ascii: "/")]).starts(with: $0) }) else { return nil }
        rest = path.dropFirst(base.count).drop { $0 == UInt8(ascii: "/") }
    }
    return existingPath(rest.isEmpty ? "." : String(decoding: rest, as: UTF8.self), below: folder)
}
