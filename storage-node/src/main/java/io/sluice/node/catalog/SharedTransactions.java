package io.sluice.node.catalog;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.LastAgent;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The durable records of distributed transactions: prepared branches and commit records. Usable by several threads. */
public final class SharedTransactions {
    private final RocksStore store;

    public SharedTransactions(RocksStore store) {
        this.store = store;
    }

    /**
     * A prepared branch that is in doubt.
     *
     * @param lastAgent the node whose commit decides the transaction; null: the log of the cluster does
     * @param preparedAtMillis when it was prepared
     * @param since number of the last commit that its snapshot shows
     * @param changes the branch
     */
    public record Prepared(@Nullable LastAgent lastAgent, long preparedAtMillis, long since, Changes changes) {}

    /** Adds the record of a prepared branch to a write. */
    public static void prepared(WriteSet alongside, UUID transaction, Prepared branch) {
        alongside.put(Keys.prepared(transaction), RecordJson.write(branch));
    }

    /** Adds the removal of a decided branch's record to a write. */
    public static void ended(WriteSet alongside, UUID transaction) {
        alongside.delete(Keys.prepared(transaction));
    }

    /**
     * Adds a transaction's commit record to the write that commits it.
     *
     * @param others ids of the nodes that have branches of it, and may ask for its outcome
     */
    public static void committed(WriteSet alongside, UUID transaction, List<String> others) {
        alongside.put(Keys.committed(transaction), RecordJson.write(others));
    }

    /**
     * Adds the removal of commit records to a write.
     *
     * @param through the new value of {@link #forgottenThrough}
     */
    public static void forgotten(WriteSet alongside, List<UUID> transactions, long through) {
        transactions.forEach(id -> alongside.delete(Keys.committed(id)));
        alongside.put(Keys.FORGOTTEN_THROUGH, RecordJson.write(through));
    }

    /** All prepared branches, by transaction. */
    public Map<UUID, Prepared> prepared() {
        return all(Keys.PREPARED, Prepared.class);
    }

    /** The nodes that may still ask for the outcome, by committed transaction. */
    public Map<UUID, List<String>> committed() {
        Map<UUID, List<String>> committed = new LinkedHashMap<>();
        all(Keys.COMMITTED, String[].class).forEach((id, nodes) -> committed.put(id, List.of(nodes)));
        return committed;
    }

    /** The latest time in the id of a transaction whose commit record was dropped; 0 for none. */
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
