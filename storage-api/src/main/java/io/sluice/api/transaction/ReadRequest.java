package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is to be read from one snapshot of a node.
 *
 * @param snapshot its id; null to take one
 * @param decided transactions that are committed, to be ended here before a snapshot is taken
 * @param released snapshots that nobody needs any more
 * @param gets keys whose values are asked for
 * @param page KVs of a span, or null
 * @param log name of a change log whose position is asked for, or null
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ReadRequest(
        @Nullable UUID snapshot,
        List<UUID> decided,
        List<UUID> released,
        List<KeyList> gets,
        @Nullable PageRequest page,
        @Nullable String log) {
    /** Takes a snapshot, and reads nothing. */
    public static final ReadRequest NOTHING = new ReadRequest(null, List.of(), List.of(), List.of(), null, null);

    public ReadRequest {
        decided = Lists.orNone(decided);
        released = Lists.orNone(released);
        gets = Lists.orNone(gets);
    }

    /** Values of keys, in the order of the keys. */
    public static ReadRequest values(List<KeyList> gets) {
        return new ReadRequest(null, List.of(), List.of(), gets, null, null);
    }

    /** The next KVs of a span. */
    public static ReadRequest kvs(PageRequest page) {
        return new ReadRequest(null, List.of(), List.of(), List.of(), page, null);
    }

    /** How far a change log was applied. */
    public static ReadRequest position(String log) {
        return new ReadRequest(null, List.of(), List.of(), List.of(), null, log);
    }

    /** The same of a snapshot. */
    public ReadRequest in(UUID id) {
        return new ReadRequest(id, decided, released, gets, page, log);
    }

    /** The same, with what the node is to be told. */
    public ReadRequest withPiggyback(List<UUID> committed, List<UUID> unneeded) {
        return new ReadRequest(snapshot, committed, unneeded, gets, page, log);
    }
}
