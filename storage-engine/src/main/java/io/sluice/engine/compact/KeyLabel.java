package io.sluice.engine.compact;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Formats keys for people. */
final class KeyLabel {
    private KeyLabel() {}

    /** The key as text when every byte is printable ASCII, else in hex. */
    static String of(byte[] key) {
        for (byte b : key) {
            if (b <= ' ' || b > '~') {
                return HexFormat.of().formatHex(key);
            }
        }
        return new String(key, StandardCharsets.US_ASCII);
    }
}
