package io.sluice.node.catalog;

import io.sluice.api.transaction.Changes;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What a store keeps about transactions that other nodes have parts of: parts that wait for a decision, and decisions
 * that others may still ask for. Usable by several threads.
 */
public final class SharedTransactions {
    private final RocksStore store;

    public SharedTransactions(RocksStore store) {
        this.store = store;
    }

    /**
     * A part that waits.
     *
     * @param decider where the node that decides is found
     * @param since of the commits that its snapshot shows
     * @param changes the part
     */
    public record Waiting(String decider, long since, Changes changes) {}

    /** Adds to a write that a part waits. */
    public static void waits(WriteSet alongside, UUID transaction, Waiting waiting) {
        alongside.put(Keys.waiting(transaction), RecordJson.write(waiting));
    }

    /** Adds to a write that a part does not wait any more. */
    public static void ended(WriteSet alongside, UUID transaction) {
        alongside.delete(Keys.waiting(transaction));
    }

    /** Adds to a write that a transaction is committed by it, of which other nodes have parts. */
    public static void decided(WriteSet alongside, UUID transaction, List<String> others) {
        alongside.put(Keys.decided(transaction), RecordJson.write(others));
    }

    /** Adds to a write that nobody will ask for a decision any more. */
    public static void forgotten(WriteSet alongside, UUID transaction) {
        alongside.delete(Keys.decided(transaction));
    }

    /** The parts that wait. */
    public Map<UUID, Waiting> waiting() {
        return all(Keys.WAITING, Waiting.class);
    }

    /** The nodes that may still ask, by transaction. */
    public Map<UUID, List<String>> decided() {
        Map<UUID, List<String>> decided = new LinkedHashMap<>();
        all(Keys.DECIDED, String[].class).forEach((id, nodes) -> decided.put(id, List.of(nodes)));
        return decided;
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
