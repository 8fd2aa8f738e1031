package io.sluice.node.catalog;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.LastAgent;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What a store keeps about transactions on several nodes: branches that are prepared, and records of commits. Usable by
 * several threads.
 */
public final class SharedTransactions {
    private final RocksStore store;

    public SharedTransactions(RocksStore store) {
        this.store = store;
    }

    /**
     * A branch that is prepared, and not decided.
     *
     * @param lastAgent the node that decides
     * @param preparedAtMillis when it was prepared
     * @param since of the commits that its snapshot shows
     * @param changes the branch
     */
    public record Prepared(LastAgent lastAgent, long preparedAtMillis, long since, Changes changes) {}

    /** Adds to a write that a branch is prepared. */
    public static void prepared(WriteSet alongside, UUID transaction, Prepared branch) {
        alongside.put(Keys.prepared(transaction), RecordJson.write(branch));
    }

    /** Adds to a write that a branch is decided. */
    public static void ended(WriteSet alongside, UUID transaction) {
        alongside.delete(Keys.prepared(transaction));
    }

    /**
     * Adds to a write that a transaction is committed by it.
     *
     * @param others ids of the nodes that have branches of it, and may ask
     */
    public static void committed(WriteSet alongside, UUID transaction, List<String> others) {
        alongside.put(Keys.committed(transaction), RecordJson.write(others));
    }

    /**
     * Adds to a write that records of commits are dropped.
     *
     * @param through see {@link #forgottenThrough}
     */
    public static void forgotten(WriteSet alongside, List<UUID> transactions, long through) {
        transactions.forEach(id -> alongside.delete(Keys.committed(id)));
        alongside.put(Keys.FORGOTTEN_THROUGH, RecordJson.write(through));
    }

    /** The branches that are prepared. */
    public Map<UUID, Prepared> prepared() {
        return all(Keys.PREPARED, Prepared.class);
    }

    /** The nodes that may still ask, by transaction that is committed; none when no other node may. */
    public Map<UUID, List<String>> committed() {
        Map<UUID, List<String>> committed = new LinkedHashMap<>();
        all(Keys.COMMITTED, String[].class).forEach((id, nodes) -> committed.put(id, List.of(nodes)));
        return committed;
    }

    /** The latest time, in an id of a transaction, of which the record of a commit was dropped; 0 for none. */
    public long forgottenThrough() {
        long[] through = {0};
        MetaScan.forEach(
                store, Keys.FORGOTTEN_THROUGH, (key, value) -> through[0] = RecordJson.read(key, value, Long.class));
        return through[0];
    }

    private <T> Map<UUID, T> all(String prefix, Class<T> type) {
        Map<UUID, T> found = new LinkedHashMap<>();
        MetaScan.forEach(store, Keys.bytes(prefix), (key, value) -> {
            String id = new String(key, StandardCharsets.UTF_8).substring(prefix.length());
            found.put(UUID.fromString(id), RecordJson.read(key, value, type));
        });
        return found;
    }
}
