import Glibc
package import Logging
package import XCallbackConfiguration
package import XCallbackPrograms

/// Checks a configuration without serving it.
///
/// This process reads the files, and so knows their owners and contents. Programs, secrets, and credentials are those
/// of the daemon, which is another process, and often of another user: a running daemon does that part of the check.
package struct ConfigurationCheck {
    private let documents: ConfigurationDocuments
    /// The faults found when the files were read.
    private let reading: FaultList

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - places: Where to find the files.
    ///   - ownership: The required owners of the files.
    package init(reading places: ConfigurationPlaces, ownership: FileOwnership) {
        reading = FaultList()
        documents = ConfigurationDocuments(in: places, DocumentReader(ownership: ownership), faults: reading)
    }

    /// Uses files that another process has read, and whose owners it has checked.
    ///
    /// A file that this process cannot open is a fault, because a reload would open it.
    ///
    /// - Parameters:
    ///   - files: The configuration file, then the drop-ins in their order; at least one.
    ///   - isOfSystem: Whether the system's daemon reads the files.
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

    /// The files to send to the daemon, with absolute paths; nil if one of them cannot be read or has the wrong owner.
    package var files: [ConfigurationFile]? {
        guard reading.isEmpty else { return nil }
        return documents.texts(reading)?.map { ConfigurationFile(NamedPaths.absolutePath($0.name), $0.text) }
    }

    /// Decodes the configuration as this process sees it.
    ///
    /// - Parameters:
    ///   - runners: The runners of the stages' programs.
    ///   - logger: The logger of the stages.
    ///   - service: The service that reads the secrets; nil if this process reads them.
    ///   - readsSecrets: Whether to read secrets at all.
    /// - Returns: The configuration.
    /// - Throws: ``ConfigurationError`` with all faults.
    package func load(
        runners: ProgramRunners = ProgramRunners(), logger: Logger, checkedFor service: ServiceUnit?,
        readsSecrets: Bool = true
    ) throws(ConfigurationError) -> RouterConfiguration {
        try load(FaultList(after: reading), runners, logger, service, readsSecrets: readsSecrets)
    }

    /// Decodes the configuration as this process sees it, and returns the findings.
    ///
    /// - Parameters:
    ///   - runners: The runners of the stages' programs.
    ///   - logger: The logger of the stages.
    ///   - service: The service that reads the secrets; nil if this process reads them.
    /// - Returns: The findings.
    package func findings(
        runners: ProgramRunners = ProgramRunners(), logger: Logger, checkedFor service: ServiceUnit?
    ) -> ConfigurationFindings {
        let faults = FaultList(after: reading)
        return ConfigurationFindings(fileCount: documents.dropIns.count + 1, faults) { () throws(ConfigurationError) in
            try load(faults, runners, logger, service, readsSecrets: true)
        }
    }

    /// Combines the daemon's findings with this process's findings about the files and the service; each has its
    /// excerpt.
    ///
    /// - Parameters:
    ///   - told: The daemon's findings.
    ///   - own: This process's findings: warnings only.
    /// - Returns: All findings.
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
