package io.sluice.node.compact;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A key as a person reads it. */
final class KeyLabel {
    private KeyLabel() {}

    /** As text when every byte is printable ASCII, else in hex. */
    static String of(byte[] key) {
        for (byte b : key) {
            if (b <= ' ' || b > '~') {
                return HexFormat.of().formatHex(key);
            }
        }
        return new String(key, StandardCharsets.US_ASCII);
    }
}
