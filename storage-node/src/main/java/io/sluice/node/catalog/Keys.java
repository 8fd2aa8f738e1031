package io.sluice.node.catalog;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Keys of the catalog in the meta column family. */
final class Keys {
    static final String TABLE = "table/";
    static final String IMPORT = "import/";
    static final String ORPHAN = "orphan/";
    static final String DROP = "drop/";

    static final String SUMS = "sums/";

    static final String TUNING = "tuning/";

    static final String RECEIPT = "receipt/";

    /** The key of the next table id, in decimal digits. */
    static final byte[] NEXT_TABLE_ID = bytes("next-table-id");

    /** The key of the node's id. */
    static final byte[] NODE_ID = bytes("node-id");

    static final String PREPARED = "prepared/";

    static final String COMMITTED = "committed/";

    /** The key of the latest time in the id of a dropped commit record, in decimal digits. */
    static final byte[] FORGOTTEN_THROUGH = bytes("commits-forgotten-through");

    /** The key of the tables that are frozen. */
    static final byte[] FROZEN = bytes("frozen-tables");

    private static final String APPLIED = "applied/";

    private static final String CHECKPOINT = "checkpoint/";

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
        return bytes(ORPHAN + tableId);
    }

    static byte[] drop(String family) {
        return bytes(DROP + family);
    }

    static byte[] receipt(int importId, UUID sst) {
        return bytes(RECEIPT + importId + "/" + sst);
    }

    /** The common prefix of the keys of an import's receipts. */
    static byte[] receipts(int importId) {
        return bytes(RECEIPT + importId + "/");
    }

    static byte[] checkpoint(int importId, String key) {
        return bytes(CHECKPOINT + importId + "/" + key);
    }

    /** The key of a prepared branch of a transaction. */
    static byte[] prepared(UUID transaction) {
        return bytes(PREPARED + transaction);
    }

    /** The key of the commit record of a transaction for which this node is the last agent. */
    static byte[] committed(UUID transaction) {
        return bytes(COMMITTED + transaction);
    }

    /** The key of the position up to which a change log is applied. */
    static byte[] applied(String log) {
        return bytes(APPLIED + log);
    }

    /** The common prefix of the keys of an import's checkpoint records. */
    static byte[] checkpoints(int importId) {
        return bytes(CHECKPOINT + importId + "/");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
