package io.sluice.node.ingest;

import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterChange.Freeze;
import io.sluice.engine.compact.CompactionMode;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.SstWriter;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.FencedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.catalog.WriteGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes copies of key ranges to this node, from the pages of a {@link ReplicaSource} on another node, in this order:
 *
 * <ol>
 *   <li>{@link #begin}: the node has the table, and earlier copies of it are fenced;
 *   <li>{@link #replace}: the KVs of a span become those of a page, by one SST under the node's admission;
 *   <li>{@link #apply}: keys that were changed meanwhile get their present values;
 *   <li>{@link #end}: late requests of the copy change nothing.
 * </ol>
 *
 * <p>A range that this node holds by the table's directory is written only while the table is frozen for the copy.
 * Thread-safe.
 */
public final class Replicas {
    /** Changes below this size go through the write-ahead log: an SST for each would make the tree high. */
    private static final long SMALL_BYTES = 1L << 20;

    private final ImportContext context;
    private final Gate gate;
    private final ReplicaSource source;
    /** The latest copy of each table to this node. Guarded by itself. */
    private final Map<Integer, Copy> copies = new HashMap<>();

    /** A copy that writes here. Its fields are guarded by its lock. */
    private static final class Copy {
        final String owner;
        final ReentrantLock lock = new ReentrantLock();
        long last;
        boolean ended;

        Copy(String owner) {
            this.owner = owner;
        }
    }

    Replicas(ImportContext context, Gate gate) {
        this.context = context;
        this.gate = gate;
        source = new ReplicaSource(context);
    }

    /** The reader of this node's key ranges for copies on other nodes. */
    public ReplicaSource source() {
        return source;
    }

    /**
     * Lets a copy write, and fences earlier copies of the table. Creates the table if this node does not have it.
     *
     * @param owner {@linkplain Freeze#newOwner id} of the copy
     * @param status the table on another node
     * @throws BadInputException when this node has another table of that name or id, or lacks the table that it is
     *     interleaved in
     * @throws TableBusyException when another owner has frozen the table: it may be about to serve what it has copied
     */
    public void begin(String owner, TableStatus status) {
        Catalog catalog = context.catalog();
        Table table = status.table();
        TableRecord known = catalog.table(table.id());
        if (known == null) {
            known = create(status);
        }
        boolean related = known.directory().refines(status.directory())
                || status.directory().refines(known.directory());
        if (!known.table().equals(table) || !related) {
            throw new BadInputException("table " + table.name() + " is another one on this node");
        }
        if (known.directory().epoch() < status.directory().epoch()) {
            // What it holds, and what it has counted, are those of an earlier directory.
            throw new TableBusyException(
                    "this node does not know yet that ranges of table " + table.name() + " were moved");
        }
        if (catalog.imports().anyInto(known.family())) {
            throw new TableBusyException("an import into table " + table.name() + " or its hierarchy is running");
        }
        String frozen = catalog.frozenBy(table.id());
        if (frozen != null && !frozen.equals(owner)) {
            throw new TableBusyException("table " + table.name() + " is being moved or compared by "
                    + Freeze.another(frozen) + "; try again in some seconds");
        }
        if (catalog.guard().prepared(table.id()) > 0) {
            // It would be committed over rows that are copied, and may be older.
            throw new TableBusyException(
                    "table " + table.name() + " has prepared branches of transactions on this node,"
                            + " which was left out; 'sluice transactions' lists those that stay in doubt");
        }
        context.compactor().manage(source.family(known), CompactionMode.ONLINE, List.of());
        synchronized (copies) {
            copies.values().removeIf(copy -> copy.ended);
            Copy before = copies.get(table.id());
            if (before == null || !before.owner.equals(owner)) {
                copies.put(table.id(), new Copy(owner));
            }
        }
    }

    private synchronized TableRecord create(TableStatus status) {
        Catalog catalog = context.catalog();
        Table table = status.table();
        String family = FamilyNames.ofTable(table.id());
        try {
            TableRecord root = catalog.root(table);
            family = root == null ? family : root.family();
        } catch (IllegalStateException e) {
            throw new BadInputException("table " + table.name() + " is interleaved in one that is not here", e);
        }
        TableRecord record = new TableRecord(
                table,
                family,
                status.published(),
                status.publishedAt().toEpochMilli(),
                status.directory(),
                null,
                null,
                null);
        boolean created = context.store().find(family) == null;
        if (created) {
            context.store().createFamily(family);
        }
        try {
            catalog.addReplica(record);
        } catch (BadInputException e) {
            if (created) {
                context.store().dropFamily(family);
            }
            throw e;
        }
        return record;
    }

    /**
     * Ends a copy: requests of it that are still on their way are refused.
     *
     * @throws FencedException when a later copy has fenced it, which may have replaced what it wrote
     */
    public void end(int tableId, String owner) {
        Copy copy = copy(tableId, owner);
        copy.lock.lock();
        try {
            copy.ended = true;
        } finally {
            copy.lock.unlock();
        }
    }

    /**
     * Replaces the KVs of a table in a span.
     *
     * @param owner owner of the copy
     * @param number number of the request within the copy, ascending; repeating the last one is harmless
     * @param span the span up to the page's end
     * @return checksums of the span's KVs as they are in the tree now
     * @throws TableBusyException when the node does not admit the SST now
     */
    public List<KvChecksum> replace(int tableId, String owner, long number, KeySpan span, KvPage page) {
        return writing(tableId, owner, number, () -> {
            TableRecord record = source.record(tableId);
            check(record.table(), span, page);
            ensureWritable(record, owner, span);
            Family family = source.family(record);
            write(record, family, changes(record.table(), family, span, page));
            return source.page(tableId, span, Long.MAX_VALUE, true).sums();
        });
    }

    /**
     * Sets or deletes keys of a table, durably.
     *
     * @param number as in {@link #replace}
     */
    public void apply(int tableId, String owner, long number, KvPage changes) {
        Object unused = writing(tableId, owner, number, () -> {
            TableRecord record = source.record(tableId);
            TableKvs kvs = new TableKvs(record.table());
            RowBatch batch = new RowBatch();
            Family family = source.family(record);
            for (int i = 0; i < changes.keys().size(); i++) {
                byte[] key = changes.keys().get(i);
                byte[] value = changes.values().get(i);
                if (value == null ? kvs.ordinal(key) < 0 : !kvs.add(key, value)) {
                    throw new BadInputException(
                            "a key is none of table " + record.table().name());
                }
                ensureWritable(record, owner, new KeySpan(key, Arrays.copyOf(key, key.length + 1)));
                batch.set(family, key, value);
            }
            put(batch);
            return record;
        });
    }

    private <T> T writing(int tableId, String owner, long number, Supplier<T> work) {
        Copy copy = copy(tableId, owner);
        copy.lock.lock();
        try {
            if (copy.ended || number < copy.last) {
                throw new OperationFailedException("this copy of the table has ended; begin it again");
            }
            copy.last = number;
            return guarded(tableId, work);
        } finally {
            copy.lock.unlock();
        }
    }

    /** Writes while the table is neither dropped nor thawed: rows that change afterwards are newer than the page. */
    private <T> T guarded(int tableId, Supplier<T> work) {
        WriteGuard guard = context.catalog().guard();
        Set<Integer> guarded = guard.beginRest(Set.of(tableId)).keySet();
        try {
            return work.get();
        } finally {
            guard.end(guarded, Map.of());
        }
    }

    private Copy copy(int tableId, String owner) {
        synchronized (copies) {
            Copy copy = copies.get(tableId);
            if (copy == null) {
                throw new OperationFailedException("a restart of the node has ended this copy; begin it again");
            }
            if (!copy.owner.equals(owner)) {
                throw new FencedException(
                        Freeze.another(copy.owner) + " has taken over the copy of the table to this node");
            }
            return copy;
        }
    }

    private void ensureWritable(TableRecord record, String owner, KeySpan span) {
        RangeDirectory directory = record.directory();
        boolean frozen = owner.equals(context.catalog().frozenBy(record.table().id()));
        for (int range = 0; range < directory.ranges().size() && !frozen; range++) {
            if (directory.span(range).overlaps(span)
                    && directory
                            .ranges()
                            .get(range)
                            .nodes()
                            .contains(context.catalog().nodeId())) {
                throw new BadInputException("table " + record.table().name()
                        + ": this node holds a range of that span already, and its rows may be changed now");
            }
        }
    }

    /** Checks that a page is what its sender read: whole, in order, and of this table. */
    private static void check(Table table, KeySpan span, KvPage page) {
        TableKvs kvs = new TableKvs(table);
        byte[] last = null;
        for (int i = 0; i < page.keys().size(); i++) {
            byte[] key = page.keys().get(i);
            byte[] value = page.values().get(i);
            boolean fits = value != null
                    && span.contains(key)
                    && (last == null || Arrays.compareUnsigned(last, key) < 0)
                    && kvs.add(key, value);
            if (!fits) {
                throw new BadInputException("table " + table.name() + ": KV " + i + " of a page does not belong there");
            }
            last = key;
        }
        if (!kvs.sums().equals(page.sums())) {
            throw new BadInputException("table " + table.name() + ": a page does not match its checksums");
        }
    }

    /** The puts and deletes that give a span the page's KVs. */
    private static KvPage changes(Table table, Family family, KeySpan span, KvPage page) {
        List<byte[]> keys = new ArrayList<>();
        List<byte @Nullable []> values = new ArrayList<>();
        TableKvs kvs = new TableKvs(table);
        int next = 0;
        try (FamilyView view = family.latest();
                KvCursor cursor = view.cursor(span, ReadPattern.SCAN)) {
            for (Kv kv = cursor.next(); kv != null; kv = cursor.next()) {
                if (kvs.ordinal(kv.key()) < 0) {
                    continue;
                }
                for (;
                        next < page.keys().size()
                                && Arrays.compareUnsigned(page.keys().get(next), kv.key()) < 0;
                        next++) {
                    keys.add(page.keys().get(next));
                    values.add(page.values().get(next));
                }
                boolean same =
                        next < page.keys().size() && Arrays.equals(page.keys().get(next), kv.key());
                if (!same) {
                    keys.add(kv.key());
                    values.add(null);
                } else if (!Arrays.equals(page.values().get(next), kv.value())) {
                    keys.add(kv.key());
                    values.add(page.values().get(next));
                }
                next += same ? 1 : 0;
            }
        }
        for (; next < page.keys().size(); next++) {
            keys.add(page.keys().get(next));
            values.add(page.values().get(next));
        }
        return new KvPage(span.end(), List.of(), keys, values);
    }

    private void write(TableRecord record, Family family, KvPage changes) {
        if (changes.bytes() >= SMALL_BYTES) {
            ingest(record, family, changes);
            return;
        }
        RowBatch batch = new RowBatch();
        for (int i = 0; i < changes.keys().size(); i++) {
            batch.set(family, changes.keys().get(i), changes.values().get(i));
        }
        put(batch);
    }

    private void put(RowBatch batch) {
        context.store().write(batch, new WriteSet());
        context.store().syncLog();
    }

    private void ingest(TableRecord record, Family family, KvPage changes) {
        UUID id = UUID.randomUUID();
        Path file = context.staging().resolve("replica-" + id + ".sst");
        int last = changes.keys().size() - 1;
        SstFile sst = new SstFile(
                id,
                new SstBytes.OnDisk(file),
                0,
                changes.keys().get(0),
                changes.keys().get(last),
                changes.bytes(),
                KvChecksum.EMPTY,
                List.of());
        Gate.Entry entry = gate.enter(sst, context.compactor().manage(family, CompactionMode.ONLINE, List.of()), true);
        Gate.Place place = entry.place();
        if (place == null) {
            throw turnedAway(record, entry.answer());
        }
        boolean arrived = false;
        try (SstWriter writer = new SstWriter(file)) {
            for (int i = 0; i <= last; i++) {
                byte[] value = changes.values().get(i);
                if (value == null) {
                    writer.delete(changes.keys().get(i));
                } else {
                    writer.add(changes.keys().get(i), value);
                }
            }
            writer.finish();
            family.ingest(List.of(file));
            arrived = true;
        } finally {
            if (arrived) {
                place.arrived();
            } else {
                place.leave();
                remove(file);
            }
        }
    }

    private static RuntimeException turnedAway(TableRecord record, ShipAnswer answer) {
        String what = "a page of table " + record.table().name();
        return answer instanceof ShipAnswer.Deferred deferred
                ? new TableBusyException(what + " waits for " + deferred.limiter())
                : new OperationFailedException(
                        what + " was refused: " + (answer instanceof ShipAnswer.Refused no ? no.reason() : answer));
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new OperationFailedException(file + " could not be removed: " + e.getMessage(), e);
        }
    }
}
