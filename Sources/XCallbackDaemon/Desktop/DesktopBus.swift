import Glibc
import Logging
import XCallbackEventLoop
import XCallbackSystemd

/// The daemon's place on the session's message bus, where the desktop hands URLs to it without starting a program.
final class DesktopBus: BusMember {
    /// The name under which the desktop finds it: that of the desktop entry.
    static let name = "org.xcallback.Router"

    private let bus: SessionBus
    private let desktop: Desktop
    private let service: RequestService

    /// Begins to connect to the bus; it lives on the loop as long as it is there.
    ///
    /// - Parameters:
    ///   - service: What answers.
    ///   - logger: Where it is told that there is no bus.
    ///   - loop: The loop.
    static func join(_ service: RequestService, _ logger: Logger, on loop: isolated EventLoop) {
        do {
            let bus = try SessionBus(name: name)
            try BusGuest(bus.connection, of: DesktopBus(bus, service, logger), on: loop).proceed(on: loop)
        } catch {
            logger.info("the session's bus is not used", metadata: ["error": "\(error)"])
        }
    }

    private init(_ bus: SessionBus, _ service: RequestService, _ logger: Logger) {
        self.bus = bus
        desktop = Desktop(logger)
        self.service = service
    }

    func process(on loop: isolated EventLoop) throws {
        for request in try bus.process() { open(request, on: loop) }
    }

    func lose(_ error: any Error, on loop: isolated EventLoop) {
        desktop.logger.info("the session's bus is not used any more", metadata: ["error": "\(error)"])
    }

    /// Asks for the URLs, each as a client of the daemon would.
    private func open(_ request: BusRequest, on loop: isolated EventLoop) {
        for url in request.urls {
            do {
                try loop.connect { id in
                    DesktopRequest(url, token: request.activationToken, desktop, service)
                }
            } catch {
                guard loop.takeLogLine(of: geteuid(), .desktop) else { continue }
                desktop.logger.error("a URL of the desktop was not handled", metadata: ["error": "\(error)"])
            }
        }
    }
}
