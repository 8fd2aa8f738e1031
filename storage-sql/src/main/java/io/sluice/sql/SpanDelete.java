package io.sluice.sql;

import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvHead;
import io.sluice.grammar.Where;
import io.sluice.grammar.WhereSpans;
import io.sluice.model.kv.InterleavedKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.sql.transaction.Overlay;
import io.sluice.sql.transaction.SpanSet;
import io.sluice.sql.transaction.TableAccess;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Executes one step of a DELETE by spans of keys: deletes root rows of a hierarchy with the rows interleaved in them.
 *
 * <ol>
 *   <li>scan the span and decide by the keys alone which rows to delete;
 *   <li>erase each run of deleted rows with one range delete; delete short runs key by key;
 *   <li>delete their entries in secondary indexes.
 * </ol>
 *
 * <p>The scan is needed even without secondary indexes. It counts rows and computes the checksums to subtract from the
 * indexes. It also finds orphan rows whose parent is missing (imports do not check foreign keys). Orphans stay, as in a
 * DELETE row by row.
 *
 * <p>A step ends between two root rows, so each root row is deleted with all its descendants or not at all.
 */
final class SpanDelete {
    /** A range delete slows later reads of the keys around it until compaction drops it. Not worth it for a few KVs. */
    private static final int MAX_POINT_DELETES = 16;
    /** A list entry, a KV and two array headers, and as much again as a change in the transaction's overlay. */
    private static final int REMOVAL_OVERHEAD_BYTES = 240;

    private final Transaction transaction;
    private final List<Level> tables = new ArrayList<>();
    private final Level root;
    private final InterleavedKeys keys;
    private final int[] ends;
    private final long maxKvs;
    private final List<KeySpan> erased = new ArrayList<>();
    private final List<Removal> removals = new ArrayList<>();
    private long visited;
    private byte @Nullable [] resume;

    // The current run: consecutive KVs that are all deleted.
    private byte[] runStart = {};
    private final List<Kv> pendingKvs = new ArrayList<>();
    private boolean rangeDelete;

    // The first deleted root row in the current span of the condition.
    private byte @Nullable [] firstDeletedRow;

    /** A KV that is deleted by key. */
    private record Removal(TableAccess table, int ordinal, Kv kv) {}

    /** A table of the hierarchy, and its row that was deleted last. */
    private static final class Level {
        private final TableAccess table;
        private final int depth;
        private final Level[] cascadesFrom;
        private final boolean indexed;
        private final KvChecksum.Accumulator erased;
        private long deleted;
        private byte[] lastDeletedRow = {};
        private int lastDeletedRowEnd = -1;
        /** Whether deleting its rows cascades to other tables. */
        private boolean cascades;

        Level(TableAccess table, int depth, Level[] cascadesFrom) {
            this.table = table;
            erased = new KvChecksum.Accumulator(table.digest(0));
            this.depth = depth;
            this.cascadesFrom = cascadesFrom;
            for (Level above : cascadesFrom) {
                above.cascades = true;
            }
            indexed = table.table().indexes().size() > 1;
        }

        void erase(KvHead head) {
            if (!erased.addByStart(head.key(), head.keyLength(), head.valueStart(), head.valueLength())) {
                Kv kv = head.copy();
                erased.add(kv.key(), kv.value());
            }
        }

        void setLastDeletedRow(byte[] key, int end) {
            if (lastDeletedRow.length < end) {
                lastDeletedRow = new byte[2 * end];
            }
            System.arraycopy(key, 0, lastDeletedRow, 0, end);
            lastDeletedRowEnd = end;
        }

        /** Whether a key is interleaved in the row of this table that was deleted last. */
        boolean lastDeletedRowContains(byte[] key, int[] ends) {
            return lastDeletedRowEnd == ends[depth]
                    && Arrays.equals(key, 0, lastDeletedRowEnd, lastDeletedRow, 0, lastDeletedRowEnd);
        }
    }

    private SpanDelete(Transaction transaction, HierarchyPlan plan, long maxKvs) {
        this.transaction = transaction;
        this.maxKvs = maxKvs;
        Map<Integer, Level> byId = new HashMap<>();
        for (HierarchyPlan.Member member : plan.members()) {
            TableAccess table = transaction.requireChangeable(member.table().name());
            var ancestors = member.table().primary().ancestors();
            Level[] cascadesFrom = member.cascadeLevels().stream()
                    .map(level -> byId.get(ancestors.get(level).tableId()))
                    .toArray(Level[]::new);
            Level level = new Level(table, member.level(), cascadesFrom);
            byId.put(member.table().id(), level);
            tables.add(level);
        }
        root = tables.get(0);
        root.cascades = true;
        keys = new InterleavedKeys(
                plan.members().stream().map(HierarchyPlan.Member::table).toList());
        ends = new int[keys.depth()];
    }

    /**
     * Deletes the rows that match a condition, or the first of them.
     *
     * @param plan a plan without obstacles
     * @param from key at which the previous step ended, or null
     * @param maxKvs number of KVs after which the step ends at the next root row
     */
    static DeletedRows step(
            Transaction transaction, HierarchyPlan plan, Where where, byte @Nullable [] from, long maxKvs) {
        SpanDelete step = new SpanDelete(transaction, plan, maxKvs);
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
        firstDeletedRow = null;
        root.table.heads(span, this::visit);
        endRun(resume == null ? span.end() : resume);
        byte[] firstDeleted = firstDeletedRow;
        if (firstDeleted != null) {
            // The commit must fail if another transaction has inserted into a deleted root row.
            transaction.check(new KeySpan(firstDeleted, endOfLastRow()));
        }
    }

    /** Visits a KV; returns false if the step ends before it. */
    private boolean visit(KvHead head) {
        byte[] key = head.key();
        int position = keys.tableOf(key, head.keyLength(), ends);
        if (position == 0 && isFull()) {
            resume = Arrays.copyOf(key, ends[0]);
            return false;
        }
        visited++;
        if (position == InterleavedKeys.FOREIGN || !isDeleted(tables.get(position), key)) {
            endRun(Arrays.copyOf(key, head.keyLength()));
            runStart = Arrays.copyOf(key, head.keyLength() + 1);
        } else {
            delete(tables.get(position), head);
        }
        return true;
    }

    private boolean isFull() {
        return visited >= maxKvs || (maxKvs < Long.MAX_VALUE && transaction.halfFull());
    }

    /** Returns the end of the root row that was deleted last, which is after all deleted KVs. */
    private byte[] endOfLastRow() {
        return KeySpan.prefixEnd(Arrays.copyOf(root.lastDeletedRow, root.lastDeletedRowEnd));
    }

    private boolean isDeleted(Level level, byte[] key) {
        if (level.depth == 0) {
            return true;
        }
        for (Level above : level.cascadesFrom) {
            if (above.lastDeletedRowContains(key, ends)) {
                return true;
            }
        }
        return false;
    }

    private void delete(Level level, KvHead head) {
        byte[] key = head.key();
        level.deleted++;
        if (level.cascades) {
            level.setLastDeletedRow(key, ends[level.depth]);
        }
        if (!rangeDelete && pendingKvs.isEmpty()) {
            byte[] row = Arrays.copyOf(key, ends[0]);
            // Other transactions may write before the first deleted root row.
            runStart = Arrays.compareUnsigned(row, runStart) > 0 ? row : runStart;
            firstDeletedRow = firstDeletedRow == null ? row : firstDeletedRow;
        }
        if (level.indexed) {
            List<Kv> kvs = level.table.encoded(level.table.decoded(head.copy()));
            for (int ordinal = 1; ordinal < kvs.size(); ordinal++) {
                remove(level.table, ordinal, kvs.get(ordinal));
            }
        }
        if (rangeDelete) {
            level.erase(head);
        } else {
            pendingKvs.add(head.copy());
            if (pendingKvs.size() > MAX_POINT_DELETES) {
                rangeDelete = true;
                pendingKvs.forEach(each -> levelOf(each).erase(KvHead.of(each)));
                pendingKvs.clear();
            }
        }
    }

    private Level levelOf(Kv kv) {
        return tables.get(keys.tableOf(kv.key(), kv.key().length, new int[ends.length]));
    }

    /** Queues a delete by key: the transaction must not change during the scan. */
    private void remove(TableAccess table, int ordinal, Kv kv) {
        transaction.reserve(REMOVAL_OVERHEAD_BYTES + (long) kv.key().length + kv.value().length);
        removals.add(new Removal(table, ordinal, kv));
    }

    private void endRun(byte[] end) {
        if (rangeDelete) {
            // Other transactions may write after the last deleted root row.
            byte[] rowEnd = endOfLastRow();
            KeySpan run = new KeySpan(runStart, Arrays.compareUnsigned(rowEnd, end) < 0 ? rowEnd : end);
            transaction.reserve(SpanSet.bytes(run));
            erased.add(run);
        } else {
            pendingKvs.forEach(kv -> remove(levelOf(kv).table, 0, kv));
        }
        pendingKvs.clear();
        rangeDelete = false;
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
