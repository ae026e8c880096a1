// The command itself does not use Foundation, but ArgumentParser does: a protocol for errors with localized texts, to which
// no error here conforms, and an encoder for '--experimental-dump-help', which is not needed here. Both would add five
// megabytes. The definitions here keep them out, because the linker takes nothing from an archive that is already defined.
// If ArgumentParser uses more one day, Foundation's definitions are linked, and take precedence over these.
//
// Debug builds share their process with tests, which use all of Foundation.
#ifndef DEBUG

#include <stdint.h>
#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

// A protocol without requirements, whose existential has no class constraint.
extern const int32_t localized_error[6] __asm__("$s20FoundationEssentials14LocalizedErrorMp");
__attribute__((weak)) const int32_t localized_error[6] = {0x10043};

__attribute__((noreturn)) static void refuse(void) {
    dprintf(STDERR_FILENO, "Error: This program cannot print its help as JSON.\n");
    _exit(EX_USAGE);
}

#define REFUSED(name, symbol) __attribute__((weak, alias("refuse"))) void name(void) __asm__(symbol)

REFUSED(encoder_type, "$s20FoundationEssentials11JSONEncoderCMa");
REFUSED(make_encoder, "$s20FoundationEssentials11JSONEncoderCACycfc");
REFUSED(sorted_keys, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV10sortedKeysAEvau");
REFUSED(pretty_printed, "$s20FoundationEssentials11JSONEncoderC16OutputFormattingV13prettyPrintedAEvau");
REFUSED(make_text, "$sSS20FoundationEssentialsE4data8encodingSSSgAA4DataVh_SSAAE8EncodingVtcfC");
REFUSED(utf8_encoding, "$sSS20FoundationEssentialsE8EncodingV4utf8ACvau");

#endif
