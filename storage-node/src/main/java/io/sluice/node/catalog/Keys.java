package io.sluice.node.catalog;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Keys of the catalog in the meta column family. */
final class Keys {
    static final String TABLE = "table/";
    static final String IMPORT = "import/";
    static final String GHOST = "ghost/";
    static final String DROP = "drop/";

    static final String SUMS = "sums/";

    static final String TUNING = "tuning/";

    static final String RECEIPT = "receipt/";

    /** Holds the id that the next table gets, as decimal digits. */
    static final byte[] NEXT_TABLE_ID = bytes("next-table-id");

    /** Holds the node's id. */
    static final byte[] NODE_ID = bytes("node-id");

    static final String PREPARED = "prepared/";

    static final String COMMITTED = "committed/";

    /** Holds the latest time in an id of a commit whose record was dropped, as decimal digits. */
    static final byte[] FORGOTTEN_THROUGH = bytes("commits-forgotten-through");

    private static final String APPLIED = "applied/";

    private static final String NOTE = "note/";

    private Keys() {}

    static byte[] table(String name) {
        return bytes(TABLE + name);
    }

    static byte[] sums(int tableId) {
        return bytes(SUMS + tableId);
    }

    static byte[] imports(int id) {
        return bytes(IMPORT + id);
    }

    static byte[] orphan(int tableId) {
        return bytes(GHOST + tableId);
    }

    static byte[] drop(String family) {
        return bytes(DROP + family);
    }

    static byte[] receipt(int importId, UUID sst) {
        return bytes(RECEIPT + importId + "/" + sst);
    }

    /** What the keys of all receipts of an import begin with. */
    static byte[] receipts(int importId) {
        return bytes(RECEIPT + importId + "/");
    }

    static byte[] note(int importId, String key) {
        return bytes(NOTE + importId + "/" + key);
    }

    /** A prepared branch of a transaction. */
    static byte[] prepared(UUID transaction) {
        return bytes(PREPARED + transaction);
    }

    /** A transaction that is committed by this node's own commit. */
    static byte[] committed(UUID transaction) {
        return bytes(COMMITTED + transaction);
    }

    /** How far a change log has been applied. */
    static byte[] applied(String log) {
        return bytes(APPLIED + log);
    }

    /** What the keys of all notes of an import begin with. */
    static byte[] notes(int importId) {
        return bytes(NOTE + importId + "/");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
