package io.sluice.model.kv;

import io.sluice.model.row.Row;

/** Decodes bytes in keys: 00 ff stands for 00, and 00 01 is the terminator; all complemented when descending. */
final class EscapedBytes {
    private static final int UUID_BYTES = 16;

    private EscapedBytes() {}

    /** Points the row's slot into the key if the bytes are unescaped there, otherwise into the row's scratch buffer. */
    static void read(ByteCursor key, boolean descending, Row row, int column) {
        int start = key.position() + 1;
        int escapes = skip(key, descending);
        int stored = key.position() - 2 - start;
        int length = stored - escapes;
        if (escapes == 0 && !descending) {
            row.setBytes(column, key.array(), start, length);
            return;
        }
        int offset = row.scratch(length);
        unescape(key.array(), start, start + stored, descending, row.scratchBuffer(), offset);
        row.setBytes(column, row.scratchBuffer(), offset, length);
    }

    static void readUuid(ByteCursor key, boolean descending, Row row, int column) {
        int start = key.position() + 1;
        int escapes = skip(key, descending);
        int stored = key.position() - 2 - start;
        if (stored - escapes != UUID_BYTES) {
            throw key.corrupt("holds a UUID that is not 16 bytes long");
        }
        byte[] uuid = new byte[UUID_BYTES];
        unescape(key.array(), start, start + stored, descending, uuid, 0);
        row.setUuid(column, Bits.getLong(uuid, 0), Bits.getLong(uuid, Long.BYTES));
    }

    /**
     * Skips marker, bytes and terminator.
     *
     * @return number of escaped bytes
     */
    static int skip(ByteCursor key, boolean descending) {
        int mask = descending ? 0xff : 0;
        if (key.readByte() != (descending ? KeyEncoding.BYTES_DESCENDING : KeyEncoding.BYTES_ASCENDING)) {
            throw key.corrupt("holds no bytes");
        }
        int escapes = 0;
        while (true) {
            if ((key.readByte() ^ mask) != KeyEncoding.ESCAPE) {
                continue;
            }
            int escaped = key.readByte() ^ mask;
            if (escaped == KeyEncoding.TERMINATOR) {
                return escapes;
            }
            if (escaped != KeyEncoding.ESCAPED_ZERO) {
                throw key.corrupt("holds an unknown escape");
            }
            escapes++;
        }
    }

    private static void unescape(byte[] from, int start, int end, boolean descending, byte[] to, int offset) {
        byte mask = (byte) (descending ? 0xff : 0);
        int out = offset;
        for (int i = start; i < end; i++) {
            byte value = (byte) (from[i] ^ mask);
            to[out++] = value;
            if (value == KeyEncoding.ESCAPE) {
                i++; // the ff after it
            }
        }
    }
}
