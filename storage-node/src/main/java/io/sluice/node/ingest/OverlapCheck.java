package io.sluice.node.ingest;

import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.engine.store.SstCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A merge join of staged SSTs with the tree that they are to enter. Both sides advance in key order, and a side that is
 * far end seeks. So it costs about as much as the smaller side, and nothing where the tree has no keys.
 */
final class OverlapCheck {
    /** Steps before a seek, which costs about as much as that many steps. */
    private static final int STEPS = 16;

    /** Keys between checks for an interrupt, a power of two: some milliseconds. */
    private static final int CHECK_EVERY_KEYS = 4096;

    private final Table table;
    private final FamilyView view;
    private final Replaced replaced;
    private final long skip;
    private final int mostCollisions;
    private final boolean families;
    private final KvChecksum.Accumulator[] overwritten;
    private final KvChecksum.Accumulator[] repeated;
    private final List<OverlapReport.IndexKey> collisions = new ArrayList<>();
    private long collided;
    /**
     * The first key of an entry that both sides have, unless it is replaced or has collided. A KV of it that one side
     * lacks is a collision, too. Used for tables with several column families.
     */
    private byte @Nullable [] shared;

    OverlapCheck(Table table, FamilyView view, Replaced replaced, long skip, int mostCollisions) {
        this.table = table;
        this.view = view;
        this.replaced = replaced;
        this.skip = skip;
        this.mostCollisions = mostCollisions;
        families = table.def().families() > 1;
        overwritten = sums(table);
        repeated = sums(table);
    }

    private static KvChecksum.Accumulator[] sums(Table table) {
        return IndexDigest.ofAll(table).stream()
                .map(KvChecksum.Accumulator::new)
                .toArray(KvChecksum.Accumulator[]::new);
    }

    /**
     * Compares an SST with the tree.
     *
     * @throws OperationFailedException when the thread is interrupted
     */
    void compare(SstFile sst) {
        int ordinal = table.ordinal(sst.indexId());
        byte[] end = families
                ? EntryKeys.end(sst.largestKey())
                : Arrays.copyOf(sst.largestKey(), sst.largestKey().length + 1);
        shared = null;
        try (KvCursor tree = view.cursor(new KeySpan(sst.smallestKey(), end), ReadPattern.SCAN)) {
            Kv has = tree.next();
            if (has == null) {
                return;
            }
            try (SstCursor comes = new SstCursor(sst.path())) {
                comes.seek(has.key());
                int keys = 0;
                while (has != null && comes.valid()) {
                    if ((keys++ & CHECK_EVERY_KEYS - 1) == 0
                            && Thread.currentThread().isInterrupted()) {
                        throw new OperationFailedException(
                                "comparing rows with table " + table.name() + " was interrupted");
                    }
                    byte[] key = comes.key();
                    int order = Arrays.compareUnsigned(key, has.key());
                    if (shared != null) {
                        compareEntry(ordinal, order == 0, key, has.key());
                    }
                    if (order == 0) {
                        sameKey(ordinal, has, comes.value());
                        comes.next();
                        has = tree.next();
                    } else if (order < 0) {
                        advance(comes, has.key());
                    } else {
                        has = advance(tree, key);
                    }
                }
                if (shared != null) {
                    byte[] left = has != null ? has.key() : comes.valid() ? comes.key() : null;
                    if (left != null) {
                        compareEntry(ordinal, false, left, left);
                    }
                }
            }
        }
    }

    private void sameKey(int ordinal, Kv has, byte[] value) {
        overwritten[ordinal].add(has.key(), has.value());
        if (replaced.overwrites(has.key())) {
            return;
        }
        boolean first = families && EntryKeys.first(has.key());
        if (Arrays.equals(has.value(), value)) {
            repeated[ordinal].add(has.key(), has.value());
            shared = first ? has.key() : shared;
        } else if (!families || first) {
            collide(ordinal, has.key());
        } else if (shared != null) {
            collide(ordinal, shared);
            shared = null;
        }
    }

    private void collide(int ordinal, byte[] key) {
        if (ordinal == 0 || table.indexes().get(ordinal).def().unique()) {
            collided++;
            if (collided > skip && collisions.size() < mostCollisions) {
                collisions.add(new OverlapReport.IndexKey(ordinal, key));
            }
        }
    }

    /** Finds a KV of the shared entry that one side lacks, and forgets an entry that both sides have passed. */
    private void compareEntry(int ordinal, boolean equal, byte[] comes, byte[] has) {
        byte[] entry = shared;
        if (entry == null || equal) {
            return;
        }
        if (EntryKeys.same(entry, comes) || EntryKeys.same(entry, has)) {
            collide(ordinal, entry);
        }
        shared = null;
    }

    private static void advance(SstCursor cursor, byte[] key) {
        for (int i = 0; i < STEPS && cursor.valid(); i++) {
            if (Arrays.compareUnsigned(cursor.key(), key) >= 0) {
                return;
            }
            cursor.next();
        }
        if (cursor.valid()) {
            cursor.seek(key);
        }
    }

    private static @Nullable Kv advance(KvCursor cursor, byte[] key) {
        for (int i = 0; i < STEPS; i++) {
            Kv next = cursor.next();
            if (next == null || Arrays.compareUnsigned(next.key(), key) >= 0) {
                return next;
            }
        }
        cursor.seek(key);
        return cursor.next();
    }

    /** Checksum of the tree's KVs whose keys the import has as well. */
    KvChecksum overwritten(int ordinal) {
        return overwritten[ordinal].sum();
    }

    /** Checksum of those of them that are equal to the import's KVs. */
    KvChecksum repeated(int ordinal) {
        return repeated[ordinal].sum();
    }

    List<OverlapReport.IndexKey> collisions() {
        return collisions;
    }

    long collided() {
        return collided;
    }
}
