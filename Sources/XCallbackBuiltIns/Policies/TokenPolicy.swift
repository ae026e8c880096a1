import Glibc
import XCallbackConfiguration
import XCallbackLinux
import XCallbackRouter
import XCallbackURL

/// Accepts requests whose parameter is a secret: `token: { file: /etc/xcallbackd/secret }`, or
/// `token: { credential: NAME }` for a credential of the service manager.
///
/// The parameter is removed from the request before any other stage runs.
struct TokenPolicy: ImmediatePolicy, ConfiguredStage {
    private let secret: Secret

    /// The maximum length of a secret in bytes.
    private static let limit = 4096

    init?(_ source: StageSource) {
        guard let node = source.requiredNode("the file of a secret, such as { file: /etc/xcallbackd/secret }"),
            let reader = MappingReader(node, of: "a 'token' policy", faults: source.faults)
        else { return nil }
        let parameterName = reader.string("parameter") ?? "token"
        let location = Self.location(reader, source)
        reader.finish()
        source.checkParameter(parameterName, at: reader.node("parameter")?.place ?? node.place)
        if source.position > 63 {
            source.faults.report("no more than 63 policies can stand before 'token'", at: source.place)
            return nil
        }
        guard let location, let bytes = Self.secret(at: location, source) else { return nil }
        secret = Secret(bytes, in: parameterName, at: source.position)
    }

    var facts: StageFacts {
        StageFacts {
            $0.secret = secret
            $0.acceptsOrigins = .all.subtracting(Origin.agent.bit)
        }
    }

    func verify(_ request: Request, _ host: any StageHost) -> PolicyResult {
        // No secret belongs in an assistant's conversation.
        if request.receivedOrigin == .agent {
            return .failed(.refusal(by: "token", "assistants have no secret"))
        }
        if secret.isAccepted(in: request) { return .verified }
        return .failed(
            .refusal(by: "token", "parameter '\(secret.parameterName)' is missing or has another value"))
    }

    func plan(for request: Request) -> StagePlan {
        StagePlan("only with the secret in parameter '\(secret.parameterName)' (not compared now)")
    }

    /// The file of a secret; the path is nil if this process does not read it.
    private typealias Location = (path: String?, place: Place)

    /// Returns the location of the secret; nil after a fault.
    private static func location(_ reader: MappingReader, _ source: StageSource) -> Location? {
        let file = reader.node("file")
        let credential = reader.node("credential")
        switch (file, credential) {
        case (let file?, nil):
            guard let text = file.string(reader.faults),
                let path = source.context.programs.paths.path(text, at: file.place, reader.faults)
            else { return nil }
            // If nothing is compared, the file can be unreadable.
            return (source.context.options.purpose == .reading ? nil : path, file.place)
        case (nil, let credential?):
            guard let name = credential.string(reader.faults) else { return nil }
            if !name.isEmpty, !name.contains("/"), name != ".", name != ".." {
                return location(ofCredential: name, source, at: credential.place)
            }
            reader.faults.report("expected the name of a credential, found \(name.quoted)", at: credential.place)
        case (nil, nil):
            reader.faults.report("expected the key 'file' or 'credential' in a 'token' policy", at: reader.place)
        case (_?, let credential?):
            reader.faults.report("expected either 'file' or 'credential', found both", at: credential.place)
        }
        return nil
    }

    private static func location(ofCredential name: String, _ source: StageSource, at place: Place) -> Location? {
        guard source.context.options.purpose == .serving else {
            if source.context.options.purpose == .checking {
                source.faults.noteUnchecked(
                    "credential \(name.quoted), because only the service can read it", at: place)
            }
            return (nil, place)
        }
        guard let folder = variable("CREDENTIALS_DIRECTORY") else {
            source.faults.report(
                "there are no credentials because $CREDENTIALS_DIRECTORY is not set: give the service one with "
                    + "LoadCredential= or SetCredential=", at: place, unread: .missing)
            return nil
        }
        if access("\(folder)/\(name)", F_OK) != 0, errno == ENOENT {
            source.faults.report(
                "the service started without the credential \(name.quoted): add it with "
                    + "LoadCredential= or SetCredential=, and restart it", at: place, unread: .missing)
            return nil
        }
        return ("\(folder)/\(name)", place)
    }

    /// Reads a secret, without a line feed at its end; reports a file that others can read or write.
    private static func secret(at location: Location, _ source: StageSource) -> [UInt8]? {
        guard let path = location.path else { return [] }
        let place = location.place
        let file: SmallFile
        let isListed: Bool
        do throws(SystemError) {
            let opened = try OpenedFile(path)
            opened.checkOwners(source.context.options.ownership, what: "a secret", at: place, source.faults)
            isListed = AccessList("/proc/self/fd/\(opened.descriptor)").grantsOthers(.read)
            file = try SmallFile(descriptor: opened.descriptor)
        } catch {
            if error.code == EACCES, source.context.options.purpose == .checking {
                source.faults.noteUnchecked("the secret, because only the service can read it", at: place)
                return []
            }
            source.faults.report("the secret cannot be read: \(error)", at: place, unread: .init(errno: error.code))
            return nil
        }
        if file.mode & 0o027 != 0 {
            source.faults.report(
                "expected a secret that others may neither read nor write, found mode 0\(String(file.mode, radix: 8)); "
                    + "try 'chmod 600'", at: place)
        } else if isListed {
            source.faults.report(
                "expected a secret that others may not read, found an access control list that names some: "
                    + "try 'setfacl --remove-all \(path.shellWord)'", at: place)
        }
        return text(of: file, source, at: place)
    }

    /// Returns the secret in a file; reports one that no parameter can contain.
    private static func text(of file: SmallFile, _ source: StageSource, at place: Place) -> [UInt8]? {
        let secret = file.bytes.last == UInt8(ascii: "\n") ? file.bytes.dropLast() : file.bytes[...]
        guard (1...limit).contains(secret.count) else {
            source.faults.report("expected a secret of 1 to \(limit) bytes, found \(secret.count)", at: place)
            return nil
        }
        guard String(validating: secret, as: UTF8.self) != nil, !secret.contains(0) else {
            source.faults.report(
                "expected a secret in UTF-8 without a NUL, because parameters cannot have another form", at: place)
            return nil
        }
        return Array(secret)
    }
}

extension StageSource {
    /// Reports a name that no item with a secret can have.
    fileprivate func checkParameter(_ name: String, at place: Place) {
        if route.syntax == .text {
            faults.report(
                "'token' rejects all URLs of syntax 'text' because they have no parameters: leave it out",
                at: self.place)
        } else if name.isEmpty || route.syntax == .callback && name.lowercased().hasPrefix("x-") {
            faults.report("a parameter cannot be called \(name.quoted)", at: place)
        } else if !route.isOpen, route.declares(name) {
            faults.report(
                "\(name.quoted) is removed from the request before it is read: leave it out of the pattern and of 'input'",
                at: place)
        }
    }
}
