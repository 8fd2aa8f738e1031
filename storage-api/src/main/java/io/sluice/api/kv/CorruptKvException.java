package io.sluice.api.kv;

import java.util.HexFormat;

/** Bytes that are no KV of the table they were read for. The message says what is wrong, and the key in hex. */
public final class CorruptKvException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Longer keys are cut in messages: enough for every prefix and a few dozen datums. */
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
