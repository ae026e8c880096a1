import Glibc
import Logging
import XCallbackConfiguration
import XCallbackLinux
import XCallbackPrograms
import XCallbackRouter
import XCallbackURL
import XCallbackWire

/// The settings and the state that all routes of a configuration share while it is loaded.
package final class LoadContext {
    let options: LoadOptions
    /// Receives faults.
    let faults: FaultList
    /// The router's schemes.
    let schemes: [SchemeSettings]
    /// Whether `schemes` is complete; otherwise an unknown name may be a scheme that could not be read.
    let knowsAllSchemes: Bool
    /// Whether all files could be read; otherwise an unknown name may be defined in an unreadable file.
    let isComplete: Bool
    /// The paths of the drop-ins.
    let dropInFiles: [String]
    /// The rules for the URLs that receive answers.
    let callbackRules: CallbackRules
    /// The limits of the daemon.
    let limits: Limits
    /// The daemon's user.
    let ownUserID = geteuid()
    /// The users that policies name.
    let users = NumberedNames(UserDatabase.userID)
    /// The groups that policies name.
    let groups = NumberedNames(UserDatabase.groupID)
    /// The programs that stages run.
    let programs: ProgramNames

    init(
        options: LoadOptions, faults: FaultList, schemes: [SchemeSettings], knowsAllSchemes: Bool, isComplete: Bool,
        dropInFiles: [String], callbackRules: CallbackRules, limits: Limits, programs: ProgramNames
    ) {
        self.options = options
        self.faults = faults
        self.schemes = schemes
        self.knowsAllSchemes = knowsAllSchemes
        self.isComplete = isComplete
        self.dropInFiles = dropInFiles
        self.callbackRules = callbackRules
        self.limits = limits
        self.programs = programs
    }

    /// The names of the schemes, in lower case.
    var schemeNames: [String] { schemes.map(\.name) }

    /// The syntax of a scheme's URLs.
    func syntax(of scheme: String?) -> URLSyntax {
        schemes.first { $0.name == scheme }?.syntax ?? .callback
    }
}
