package io.sluice.node.sql;

import io.sluice.api.kv.InterleavedKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.sql.Where;
import io.sluice.api.sql.WhereSpans;
import io.sluice.node.store.Kv;
import io.sluice.node.store.KvHead;
import io.sluice.node.transaction.Overlay;
import io.sluice.node.transaction.SpanSet;
import io.sluice.node.transaction.TableAccess;
import io.sluice.node.transaction.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One step of a DELETE by spans of keys: rows of a hierarchy's outermost table with all that lies in them.
 *
 * <ol>
 *   <li>scan the span, and tell by the keys alone which rows go;
 *   <li>where none stays in between, erase from the first to the end of the last; few are removed one by one;
 *   <li>remove what they have in secondary indexes.
 * </ol>
 *
 * <p>The scan is needed even without secondary indexes: it counts, it takes what goes from what the store's indexes add
 * up to, and it finds rows that go with nothing, because the row that they refer to is missing (imports do not look at
 * foreign keys). Those stay, as they do when rows are deleted one by one.
 *
 * <p>A step ends between two rows of the outermost table, so each of those goes with all that is in it or not at all.
 */
final class SpanDelete {
    /** Every later read of the neighbourhood has to look at a range delete, until merges drop it: not for a few KVs. */
    private static final int FEW_KVS = 16;
    /** An entry of a list, a KV and two array headers, and as much again when it is a change of the transaction. */
    private static final int REMOVAL_OVERHEAD_BYTES = 240;

    private final Transaction transaction;
    private final List<Level> tables = new ArrayList<>();
    private final Level root;
    private final InterleavedKeys keys;
    private final int[] ends;
    private final long mostKvs;
    private final List<KeySpan> erased = new ArrayList<>();
    private final List<Removal> removals = new ArrayList<>();
    private long passed;
    private byte @Nullable [] resume;

    // One run: KVs that all go, none that stays in between.
    private byte[] runStart = {};
    private final List<Kv> few = new ArrayList<>();
    private boolean many;

    // What goes of one span of the condition.
    private byte @Nullable [] first;

    /** A KV that is removed by its key. */
    private record Removal(TableAccess table, int ordinal, Kv kv) {}

    /** A table, and the row of it that went last. */
    private static final class Level {
        private final TableAccess table;
        private final int depth;
        private final Level[] takenBy;
        private final boolean indexed;
        private final KvChecksum.Accumulator erased;
        private long deleted;
        private byte[] gone = {};
        private int goneEnd = -1;
        /** Whether rows of other tables go with its rows. */
        private boolean takes;

        Level(TableAccess table, int depth, Level[] takenBy) {
            this.table = table;
            erased = new KvChecksum.Accumulator(table.digest(0));
            this.depth = depth;
            this.takenBy = takenBy;
            for (Level above : takenBy) {
                above.takes = true;
            }
            indexed = table.table().indexes().size() > 1;
        }

        void erase(KvHead head) {
            if (!erased.addByStart(head.key(), head.keyLength(), head.valueStart(), head.valueLength())) {
                Kv kv = head.copy();
                erased.add(kv.key(), kv.value());
            }
        }

        void takeRow(byte[] key, int end) {
            if (gone.length < end) {
                gone = new byte[2 * end];
            }
            System.arraycopy(key, 0, gone, 0, end);
            goneEnd = end;
        }

        /** Whether a key lies in the row of this table that went last. */
        boolean took(byte[] key, int[] ends) {
            return goneEnd == ends[depth] && Arrays.equals(key, 0, goneEnd, gone, 0, goneEnd);
        }
    }

    private SpanDelete(Transaction transaction, HierarchyPlan plan, long mostKvs) {
        this.transaction = transaction;
        this.mostKvs = mostKvs;
        Map<Integer, Level> byId = new HashMap<>();
        for (HierarchyPlan.Member member : plan.members()) {
            TableAccess table = transaction.requireChangeable(member.table().name());
            var ancestors = member.table().primary().ancestors();
            Level[] takenBy = member.takenBy().stream()
                    .map(level -> byId.get(ancestors.get(level).tableId()))
                    .toArray(Level[]::new);
            Level level = new Level(table, member.level(), takenBy);
            byId.put(member.table().id(), level);
            tables.add(level);
        }
        root = tables.get(0);
        root.takes = true;
        keys = new InterleavedKeys(
                plan.members().stream().map(HierarchyPlan.Member::table).toList());
        ends = new int[keys.depth()];
    }

    /**
     * Deletes the rows that meet a condition, or the first of them.
     *
     * @param plan one that nothing stands against
     * @param from key at which the step before ended, or null
     * @param mostKvs after how many KVs to end at the next row of the outermost table
     */
    static DeletedRows step(
            Transaction transaction, HierarchyPlan plan, Where where, byte @Nullable [] from, long mostKvs) {
        SpanDelete step = new SpanDelete(transaction, plan, mostKvs);
        TableAccess table = step.root.table;
        for (KeySpan span : WhereSpans.of(table.table(), table.keys(), where)) {
            KeySpan rest = from == null ? span : span.from(from);
            if (step.resume == null && Arrays.compareUnsigned(rest.start(), rest.end()) < 0) {
                step.scan(rest);
            }
        }
        return step.done();
    }

    private void scan(KeySpan span) {
        runStart = span.start();
        first = null;
        root.table.heads(span, this::pass);
        endRun(resume == null ? span.end() : resume);
        byte[] begun = first;
        if (begun != null) {
            // Nobody may have put anything into a row that goes.
            transaction.check(new KeySpan(begun, behindLast()));
        }
    }

    /** Returns whether the step goes on behind this KV. */
    private boolean pass(KvHead head) {
        byte[] key = head.key();
        int position = keys.tableOf(key, head.keyLength(), ends);
        if (position == 0 && full()) {
            resume = Arrays.copyOf(key, ends[0]);
            return false;
        }
        passed++;
        if (position == InterleavedKeys.FOREIGN || !goes(tables.get(position), key)) {
            endRun(Arrays.copyOf(key, head.keyLength()));
            runStart = Arrays.copyOf(key, head.keyLength() + 1);
        } else {
            take(tables.get(position), head);
        }
        return true;
    }

    private boolean full() {
        return passed >= mostKvs || (mostKvs < Long.MAX_VALUE && transaction.halfFull());
    }

    /** The end of the outermost row that went last, which is behind everything that has gone. */
    private byte[] behindLast() {
        return KeySpan.prefixEnd(Arrays.copyOf(root.gone, root.goneEnd));
    }

    private boolean goes(Level level, byte[] key) {
        if (level.depth == 0) {
            return true;
        }
        for (Level above : level.takenBy) {
            if (above.took(key, ends)) {
                return true;
            }
        }
        return false;
    }

    private void take(Level level, KvHead head) {
        byte[] key = head.key();
        level.deleted++;
        if (level.takes) {
            level.takeRow(key, ends[level.depth]);
        }
        if (!many && few.isEmpty()) {
            byte[] row = Arrays.copyOf(key, ends[0]);
            // Before the first row that goes others may write.
            runStart = Arrays.compareUnsigned(row, runStart) > 0 ? row : runStart;
            first = first == null ? row : first;
        }
        if (level.indexed) {
            List<Kv> kvs = level.table.encoded(level.table.decoded(head.copy()));
            for (int ordinal = 1; ordinal < kvs.size(); ordinal++) {
                remove(level.table, ordinal, kvs.get(ordinal));
            }
        }
        if (many) {
            level.erase(head);
        } else {
            few.add(head.copy());
            if (few.size() > FEW_KVS) {
                many = true;
                few.forEach(each -> levelOf(each).erase(KvHead.of(each)));
                few.clear();
            }
        }
    }

    private Level levelOf(Kv kv) {
        return tables.get(keys.tableOf(kv.key(), kv.key().length, new int[ends.length]));
    }

    /** The transaction itself must not change while it is scanned. */
    private void remove(TableAccess table, int ordinal, Kv kv) {
        transaction.reserve(REMOVAL_OVERHEAD_BYTES + (long) kv.key().length + kv.value().length);
        removals.add(new Removal(table, ordinal, kv));
    }

    private void endRun(byte[] end) {
        if (many) {
            // What goes is known to end with the last row; behind it others may write.
            byte[] behind = behindLast();
            KeySpan run = new KeySpan(runStart, Arrays.compareUnsigned(behind, end) < 0 ? behind : end);
            transaction.reserve(SpanSet.bytes(run));
            erased.add(run);
        } else {
            few.forEach(kv -> remove(levelOf(kv).table, 0, kv));
        }
        few.clear();
        many = false;
    }

    private DeletedRows done() {
        transaction.releaseStatementMemory();
        removals.forEach(each -> each.table().remove(each.ordinal(), each.kv()));
        if (!erased.isEmpty()) {
            Map<Overlay.IndexId, KvChecksum> sums = new HashMap<>();
            tables.forEach(
                    level -> sums.put(new Overlay.IndexId(level.table.table().id(), 0), level.erased.sum()));
            transaction.erase(root.table.tree(), erased, sums);
        }
        Map<String, Long> counts = new HashMap<>();
        tables.forEach(level -> counts.put(level.table.table().name(), level.deleted));
        return new DeletedRows(counts, resume);
    }
}
