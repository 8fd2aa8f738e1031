package io.sluice.sql.transaction;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.node.catalog.Catalog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Captures of the keys that commits change, one per table at most. While another node copies a table's ranges, the
 * capture has what the copy may have missed: each key that was changed after its begin. In memory: a restart ends it.
 * Guarded by the lock of {@link Commits}, so that a commit is in it, or begins later.
 */
public final class ChangeCaptures {
    /** Keys in a batch: with 100 bytes each, 100 kB; reading their values takes some milliseconds. */
    static final int BATCH_KEYS = 1_000;

    /** Limit of captures at a time: tables are copied one after the other. */
    private static final int MAX_CAPTURES = 16;

    /** Memory for the keys of a capture, with some 100 bytes for each beside its own: about half a million keys. */
    private static final long MAX_BYTES = 64L << 20;

    private static final int BYTES_PER_KEY = 100;

    private final Catalog catalog;
    private final Map<Integer, Capture> captures = new HashMap<>();

    ChangeCaptures(Catalog catalog) {
        this.catalog = catalog;
    }

    /**
     * Some of the captured keys.
     *
     * @param number number of the batch, from 1
     * @param keys keys, ascending; also those of other tables that the same transactions changed
     * @param more whether there are more keys than these
     */
    public record Batch(long number, List<byte[]> keys, boolean more) {}

    private static final class Capture {
        final UUID id = UUID.randomUUID();
        final long publication;
        final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        long bytes;
        /** Why keys are missing; empty: none is. */
        String broken = "";

        Batch last = new Batch(0, List.of(), false);

        Capture(long publication) {
            this.publication = publication;
        }

        void add(List<KeySpan> spans) {
            for (KeySpan span : spans) {
                byte[] key = span.start();
                // Keys that only differ in zero bytes at their end are joined in one span.
                for (; Arrays.compareUnsigned(key, span.end()) < 0; key = Arrays.copyOf(key, key.length + 1)) {
                    if (!Arrays.equals(Arrays.copyOf(key, span.end().length), span.end())) {
                        broken = "a statement has deleted a span of rows";
                        break;
                    }
                    if (keys.add(key)) {
                        bytes += key.length + (long) BYTES_PER_KEY;
                    }
                }
            }
            if (bytes > MAX_BYTES) {
                broken = "statements have changed too many rows";
            }
            if (!broken.isEmpty()) {
                keys.clear();
            }
        }

        Batch take() {
            List<byte[]> taken = new ArrayList<>();
            for (Iterator<byte[]> each = keys.iterator(); each.hasNext() && taken.size() < BATCH_KEYS; ) {
                byte[] key = each.next();
                taken.add(key);
                bytes -= key.length + (long) BYTES_PER_KEY;
                each.remove();
            }
            last = new Batch(last.number() + 1, taken, !keys.isEmpty());
            return last;
        }
    }

    UUID begin(int tableId) {
        captures.keySet().removeIf(id -> catalog.table(id) == null);
        if (captures.size() >= MAX_CAPTURES && !captures.containsKey(tableId)) {
            // The one of a copy that has ended, most likely.
            captures.remove(captures.keySet().iterator().next());
        }
        Capture begun = new Capture(catalog.guard().lastPublished(tableId));
        captures.put(tableId, begun);
        return begun.id;
    }

    /** Adds the keys of a commit, which readers see already. */
    void add(Intent intent) {
        if (captures.isEmpty()) {
            return;
        }
        for (int table : intent.tables()) {
            Capture capture = captures.get(table);
            if (capture != null && capture.broken.isEmpty()) {
                capture.add(intent.written().spans());
            }
        }
    }

    Batch next(int tableId, UUID id, long done) {
        Capture capture = captures.get(tableId);
        String why = capture == null || !capture.id.equals(id)
                ? "the node was restarted, or another copy of the table began"
                : capture.publication != catalog.guard().lastPublished(tableId)
                        ? "rows were imported into the table, or its ranges were moved"
                        : capture.broken;
        if (!why.isEmpty() || capture == null) {
            throw new OperationFailedException(
                    "the changes of the table since the copy began are not known: " + why + "; copy it again");
        }
        if (done == capture.last.number()) {
            return capture.take();
        }
        if (done == capture.last.number() - 1) {
            return capture.last;
        }
        throw new BadInputException("done: batch " + done + " is not the last one, " + capture.last.number());
    }
}
