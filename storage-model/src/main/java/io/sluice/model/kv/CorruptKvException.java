package io.sluice.model.kv;

import java.util.HexFormat;

/** The bytes are not a valid KV of the table. The message says what is wrong and prints the key in hexadecimal. */
public final class CorruptKvException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Messages truncate longer keys; enough for every prefix and a few dozen datums. */
    private static final int SHOWN_KEY_BYTES = 256;

    public CorruptKvException(String what, byte[] key) {
        super("corrupt KV: " + what + "; key " + shown(key));
    }

    private static String shown(byte[] key) {
        return key.length <= SHOWN_KEY_BYTES
                ? HexFormat.of().formatHex(key)
                : HexFormat.of().formatHex(key, 0, SHOWN_KEY_BYTES) + "... (" + key.length + " bytes)";
    }
}
