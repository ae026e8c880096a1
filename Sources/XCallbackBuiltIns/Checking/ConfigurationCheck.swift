import Glibc
package import Logging
package import XCallbackConfiguration
package import XCallbackPrograms

/// Checks a configuration that is not served.
///
/// What the files hold is known to whoever reads them: their owners, and all that stands in them. Programs, secrets and
/// credentials are those of the daemon, which is another process, and often of another user: where one runs, it is asked.
package struct ConfigurationCheck {
    private let documents: ConfigurationDocuments
    /// What reading the files has shown.
    private let reading: FaultList

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - places: Where they are looked for.
    ///   - ownership: Whom they must belong to.
    package init(reading places: ConfigurationPlaces, ownership: FileOwnership) {
        reading = FaultList()
        documents = ConfigurationDocuments(in: places, DocumentReader(ownership: ownership), faults: reading)
    }

    /// Takes files that somebody else has read, and whose owners are checked.
    ///
    /// What this process may not read is a fault: a reload would read it.
    ///
    /// - Parameters:
    ///   - files: The configuration file, then the drop-ins in their order; at least one.
    ///   - isOfSystem: Whether the system's daemon reads them.
    package init(_ files: [ConfigurationFile], isOfSystem: Bool) {
        reading = FaultList()
        documents = ConfigurationDocuments(
            main: files[0], dropIns: Array(files.dropFirst()), isOfSystem: isOfSystem, faults: reading)
        for file in files where file.name.hasPrefix("/") && access(file.name, R_OK) < 0 && errno == EACCES {
            reading.report(
                "the daemon cannot open it: permission denied; let uid \(geteuid()) read it, and enter the directories "
                    + "above it", at: Place(file: file.name))
        }
    }

    /// The files as the daemon can be told of them, with their paths from `/` on; nil if one of them cannot be read, or has
    /// another owner than it must have.
    package var files: [ConfigurationFile]? {
        guard reading.isEmpty else { return nil }
        return documents.texts(reading)?.map { ConfigurationFile(NamedPaths.absolutePath($0.name), $0.text) }
    }

    /// Decodes the configuration as this process sees it.
    ///
    /// - Parameters:
    ///   - runners: What runs the programs of stages.
    ///   - logger: Where stages log.
    ///   - service: The service that reads the secrets; nil if this process does.
    ///   - readsSecrets: Whether secrets are read at all.
    /// - Returns: The configuration.
    /// - Throws: ``ConfigurationError`` with all faults.
    package func load(
        runners: ProgramRunners = ProgramRunners(), logger: Logger, checkedFor service: ServiceUnit?,
        readsSecrets: Bool = true
    ) throws(ConfigurationError) -> RouterConfiguration {
        try load(FaultList(after: reading), runners, logger, service, readsSecrets: readsSecrets)
    }

    /// Decodes the configuration as this process sees it, and tells what is found.
    ///
    /// - Parameters:
    ///   - runners: What runs the programs of stages.
    ///   - logger: Where stages log.
    ///   - service: The service that reads the secrets; nil if this process does.
    /// - Returns: What is found.
    package func findings(
        runners: ProgramRunners = ProgramRunners(), logger: Logger, checkedFor service: ServiceUnit?
    ) -> ConfigurationFindings {
        let faults = FaultList(after: reading)
        return ConfigurationFindings(fileCount: documents.dropIns.count + 1, faults) { () throws(ConfigurationError) in
            try load(faults, runners, logger, service, readsSecrets: true)
        }
    }

    /// What the daemon has found, together with what this process knows of the files and of the service; each with its
    /// excerpt.
    ///
    /// - Parameters:
    ///   - told: What the daemon has told.
    ///   - own: What this process has found: no fault.
    /// - Returns: All of it.
    package func findings(toldBy told: ToldFindings, besides own: ConfigurationFindings) -> ConfigurationFindings {
        let faults = FaultList(after: reading)
        for fault in own.warnings.warnings {
            faults.warn(fault.message, at: fault.place, other: fault.other, about: fault.subject)
        }
        let names = (documents.texts(reading) ?? []).map(\.name)
        let told = told.named(Dictionary(names.map { (NamedPaths.absolutePath($0), $0) }) { first, _ in first })
        for fault in told.faults { faults.report(fault.message, at: fault.place, other: fault.other) }
        for fault in told.warnings { faults.warn(fault.message, at: fault.place, other: fault.other) }
        faults.addUntold(
            faults: max(told.faultCount - told.faults.count, 0),
            warnings: max(told.warningCount - told.warnings.count, 0))
        return ConfigurationFindings(
            routeCount: told.routeCount, schemes: told.schemes, fileCount: documents.dropIns.count + 1,
            error: faults.error, warnings: faults.warnings, leftUnchecked: faults.leftUnchecked)
    }

    private func load(
        _ faults: FaultList, _ runners: ProgramRunners, _ logger: Logger, _ service: ServiceUnit?, readsSecrets: Bool
    ) throws(ConfigurationError) -> RouterConfiguration {
        let decoder = RouterDecoder(
            documents, faults, runners, logger, service, onlyRoute: nil, readsSecrets: readsSecrets)
        return try RouterConfiguration(decoder, documents, faults)
    }
}
