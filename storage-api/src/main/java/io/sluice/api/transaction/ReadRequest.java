package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to read from one snapshot of a node.
 *
 * @param snapshot id of the snapshot; null: take one
 * @param decided committed transactions, whose branches the node ends before it takes a snapshot
 * @param released snapshots to release
 * @param gets keys to read
 * @param page span to read, or null
 * @param log name of a change log whose position to read, or null
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ReadRequest(
        @Nullable UUID snapshot,
        List<UUID> decided,
        List<UUID> released,
        List<KeyList> gets,
        @Nullable PageRequest page,
        @Nullable String log) {
    /** A request that takes a snapshot and reads nothing. */
    public static final ReadRequest NOTHING = new ReadRequest(null, List.of(), List.of(), List.of(), null, null);

    public ReadRequest {
        decided = Lists.orNone(decided);
        released = Lists.orNone(released);
        gets = Lists.orNone(gets);
    }

    /** A request for the values of keys, in the order of the keys. */
    public static ReadRequest values(List<KeyList> gets) {
        return new ReadRequest(null, List.of(), List.of(), gets, null, null);
    }

    public static ReadRequest kvs(PageRequest page) {
        return new ReadRequest(null, List.of(), List.of(), List.of(), page, null);
    }

    /** A request for the applied position of a change log. */
    public static ReadRequest position(String log) {
        return new ReadRequest(null, List.of(), List.of(), List.of(), null, log);
    }

    /** Returns a copy that reads from a snapshot. */
    public ReadRequest in(UUID id) {
        return new ReadRequest(id, decided, released, gets, page, log);
    }

    /** Returns a copy that also carries decisions and releases to the node. */
    public ReadRequest withPiggyback(List<UUID> committed, List<UUID> unneeded) {
        return new ReadRequest(snapshot, committed, unneeded, gets, page, log);
    }

    /**
     * Keys of a table's indexes, whose values a transaction reads.
     *
     * @param table id of the table
     * @param keys not copied: do not change them
     */
    public record KeyList(int table, List<byte[]> keys) {
        public KeyList {
            keys = Lists.orNone(keys);
        }
    }

    /**
     * A request for the first page of KVs in a key span. The arrays are not copied: do not change them.
     *
     * @param table id of a table in the LSM tree to read
     * @param start start of the span, inclusive
     * @param end end of the span, exclusive
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record PageRequest(int table, byte[] start, byte[] end) {}
}
