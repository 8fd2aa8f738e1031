package io.sluice.node.catalog;

import java.nio.charset.StandardCharsets;

/** Keys of the catalog in the meta column family. */
final class Keys {
    static final String TABLE = "table/";
    static final String IMPORT = "import/";
    static final String GHOST = "ghost/";
    static final String DROP = "drop/";

    /** Holds the id that the next table gets, as decimal digits. */
    static final byte[] NEXT_TABLE_ID = bytes("next-table-id");

    private Keys() {}

    static byte[] table(String name) {
        return bytes(TABLE + name);
    }

    static byte[] imports(int id) {
        return bytes(IMPORT + id);
    }

    static byte[] ghost(int tableId) {
        return bytes(GHOST + tableId);
    }

    static byte[] drop(String family) {
        return bytes(DROP + family);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
