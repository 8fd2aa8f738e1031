package io.sluice.node.ingest;

import io.sluice.api.node.AppendPart;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.SstCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.kv.EntryKvs;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.read.JoinedEntries;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The intake of SSTs for an existing table. SSTs wait in staging and are compared with the table
 * ({@link #checkOverlap}). When the import is published, they enter the table's tree in one atomic call, together with
 * tombstones of the rows that they replace. Until then the table does not change.
 *
 * <p>A record written before that call is enough to finish after it: a process that dies in between leaves all rows or
 * none ({@link #entered}).
 *
 * <p>If the table is split into key ranges, this node has a part of the import. It prepares the part, and an entry of
 * the cluster's log publishes it.
 */
final class AppendIntake extends AtEndIntake {
    private static final String DELETIONS = "deletions.sst";

    /** KVs that an append across a network may delete: they take some 200 bytes each of the node's memory. */
    private static final int MOST_REPLACED = 1 << 20;

    private final RangeDirectory directory;
    private final String node;
    /** Null until it is read from {@link ReplacedRows#FILE}. */
    private @Nullable Replaced replaced;
    /** The list of the replaced rows. */
    private ListId list = new ListId(0, 0);

    /** Whether all staged SSTs were compared since the replaced rows were set. */
    private boolean compared;

    /**
     * Names a list of replaced rows.
     *
     * @param attempt the attempt that sets it
     * @param number its number in the attempt
     */
    record ListId(long attempt, long number) {
        boolean after(ListId other) {
            return attempt == other.attempt ? number > other.number : attempt > other.attempt;
        }
    }

    AppendIntake(ImportContext context, Gate gate, ImportRecord record, Staging staging) {
        super(context, gate, record, staging);
        directory = record.directory();
        node = context.catalog().nodeId();
    }

    private boolean split() {
        return !directory.ranges().isEmpty();
    }

    /** Whether this node has the range of a key. */
    private boolean held(byte[] key) {
        return !split()
                || directory.ranges().get(directory.rangeOf(key)).nodes().contains(node);
    }

    /** Whether this node reports on a key: it has the first replica of its range. */
    private boolean reported(byte[] key) {
        return !split()
                || directory.ranges().get(directory.rangeOf(key)).nodes().get(0).equals(node);
    }

    /** The staged SSTs, in an order that stays the same. */
    private List<SstFile> sorted() {
        List<SstFile> files = new ArrayList<>(files());
        files.sort((a, b) -> Arrays.compareUnsigned(a.smallestKey(), b.smallestKey()));
        return files;
    }

    /** Nothing enters the tree before {@link #publishing}. */
    @Override
    public IngestReport finalizeIngest() {
        return report(files());
    }

    /** The checksums of the table, which do not change until the import is published. */
    @Override
    public List<IndexChecksum> present() {
        return table().imported();
    }

    /** Compares the staged SSTs with the table. */
    OverlapReport checkOverlap(long skip, int mostCollisions) {
        Table table = record.table();
        Replaced gone = replaced();
        try (FamilyView view = family().latest()) {
            OverlapCheck check = new OverlapCheck(table, view, gone, skip, mostCollisions);
            OverlapCheck others = new OverlapCheck(table, view, gone, 0, 0);
            List<SstFile> files = new ArrayList<>();
            for (SstFile each : sorted()) {
                if (reported(each.smallestKey())) {
                    files.add(each);
                    check.compare(each);
                } else if (!gone.isEmpty()) {
                    // So that no key is deleted that the import overwrites.
                    others.compare(each);
                }
            }
            compared = true;
            List<IndexChecksum> after = new ArrayList<>();
            List<IndexChecksum> repeated = new ArrayList<>();
            ShippedChecksums shipped = ShippedChecksums.of(files);
            List<IndexChecksum> before = table().imported();
            for (int i = 0; i < table.indexes().size(); i++) {
                Index index = table.indexes().get(i);
                String name = index.def().name();
                KvChecksum sum = (split() ? KvChecksum.EMPTY : before.get(i).sum())
                        .plus(shipped.of(index.def().id()))
                        .minus(check.overwritten(i))
                        .minus(gone.gone(i, this::reported));
                after.add(new IndexChecksum(name, sum));
                repeated.add(new IndexChecksum(name, check.repeated(i)));
            }
            return new OverlapReport(after, repeated, check.collisions(), check.collided());
        }
    }

    /**
     * The digest after the import of the KVs in spans, from reading the table and the staged KVs.
     *
     * @param has digest of the table, as read
     * @throws OperationFailedException when a staged KV does not match its checksum
     */
    @Override
    public TableDigest readBack(TableDigest has, List<KeySpan> spans) {
        Table table = record.table();
        List<IndexDigest> digests = IndexDigest.ofAll(table);
        Replaced replacedRows = replaced();
        Predicate<byte[]> read = key -> held(key) && spans.stream().anyMatch(span -> span.contains(key));
        try (FamilyView view = family().latest()) {
            OverlapCheck check = new OverlapCheck(table, view, replacedRows, 0, 0);
            List<IndexChecksum> after = new ArrayList<>();
            for (int i = 0; i < table.indexes().size(); i++) {
                KvChecksum.Accumulator comes = new KvChecksum.Accumulator(digests.get(i));
                for (SstFile each : files()) {
                    if (each.indexId() == table.indexes().get(i).def().id() && read.test(each.smallestKey())) {
                        check.compare(each);
                        add(each, comes);
                    }
                }
                IndexChecksum before = has.indexes().get(i);
                KvChecksum goes = check.overwritten(i).plus(replacedRows.gone(i, read));
                after.add(new IndexChecksum(
                        before.index(), before.sum().plus(comes.sum()).minus(goes)));
            }
            return new TableDigest(table.name(), after);
        }
    }

    private void add(SstFile staged, KvChecksum.Accumulator sum) {
        try (SstCursor cursor = new SstCursor(staged.path())) {
            for (; cursor.valid(); cursor.next()) {
                if (!sum.addIntact(cursor.key(), cursor.value())) {
                    throw new OperationFailedException("table " + record.table().name() + ": a KV of SST "
                            + staged.id() + ", which is staged, does not match its checksum;"
                            + " import again");
                }
            }
        }
    }

    /** The existing rows that hold the given keys; the value is empty where another node has the row. */
    List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys) {
        Table table = record.table();
        RowDecoder decoder = new RowDecoder(table);
        IndexKeys indexKeys = new IndexKeys(table);
        EntryKvs codec = EntryKvs.of(table);
        Row row = new Row(table.def().columns().size());
        List<OverlapReport.@Nullable Holder> holders = new ArrayList<>();
        try (FamilyView view = family().latest()) {
            for (OverlapReport.IndexKey key : keys) {
                byte[] primaryKey = key.key();
                byte[] value = view.get(key.key());
                if (value != null && key.ordinal() > 0) {
                    row.clear();
                    decoder.decodeSecondary(key.ordinal(), key.key(), value, row);
                    primaryKey = indexKeys.primaryKey(row);
                    value = held(primaryKey) ? row(codec, view, primaryKey) : new byte[0];
                } else if (value != null) {
                    value = row(codec, view, primaryKey);
                }
                holders.add(value == null ? null : new OverlapReport.Holder(primaryKey, value));
            }
        }
        return holders;
    }

    /** Sets the rows that the import replaces. */
    void replaceAll(long attempt, List<OverlapReport.Holder> rows) {
        replace(new ListId(attempt, list.number() + 1), true, rows);
    }

    /**
     * Sets a part of the rows that the import replaces. An import that outlives its process keeps them in a file. A
     * repetition, which may come after later parts of the list, adds the same rows again.
     *
     * @param to their list; the first part of a later one begins it anew
     * @param first whether it is the first part of the list
     * @param rows primary KVs; an empty value: this node has the row
     */
    void replace(ListId to, boolean first, List<OverlapReport.Holder> rows) {
        boolean numbered = to.number() != AppendPart.UNNUMBERED;
        if (numbered && list.after(to)) {
            throw new OperationFailedException("rows that an append to table "
                    + record.table().name() + " replaces came late: a later list has begun; let that one continue");
        }
        boolean anew = first && (!numbered || to.after(list));
        Replaced all = anew ? Replaced.none() : replaced();
        List<OverlapReport.Holder> whole = new ArrayList<>();
        EntryKvs codec = EntryKvs.of(record.table());
        try (FamilyView view = family().latest()) {
            for (OverlapReport.Holder each : rows) {
                byte[] value = each.value().length > 0 ? each.value() : row(codec, view, each.key());
                if (value == null) {
                    throw new OperationFailedException("a row of table "
                            + record.table().name() + " that was to be replaced is not there any more; import again");
                }
                whole.add(new OverlapReport.Holder(each.key(), value));
            }
        }
        compared = false;
        all.add(record.table(), whole, this::held, record.claim() == null ? Integer.MAX_VALUE : MOST_REPLACED);
        if (record.claim() != null) {
            // If this fails, the next call reads the file again, which cuts off what was not written whole.
            replaced = null;
            ReplacedRows.write(staging.directory().resolve(ReplacedRows.FILE), anew, whole);
            staging.sync();
        }
        replaced = all;
        list = to;
    }

    /** The value of a row's KV, joined if the table has several column families; null when there is no such row. */
    private static byte @Nullable [] row(@Nullable EntryKvs codec, FamilyView view, byte[] primaryKey) {
        return codec == null
                ? view.get(primaryKey)
                : JoinedEntries.value(codec, 0, primaryKey, keys -> {
                    List<byte @Nullable []> values = new ArrayList<>();
                    keys.forEach(key -> values.add(view.get(key)));
                    return values;
                });
    }

    private Replaced replaced() {
        Replaced known = replaced;
        if (known == null) {
            known = Replaced.none();
            List<OverlapReport.Holder> rows =
                    ReplacedRows.read(staging.directory().resolve(ReplacedRows.FILE));
            known.add(record.table(), rows, this::held, MOST_REPLACED);
            replaced = known;
        }
        return known;
    }

    /**
     * Makes durable what {@link #decided} needs; the rows were compared before.
     *
     * @param owner owner of the table's freeze
     * @param after checksums of the whole table after the publication
     */
    void prepare(String owner, List<IndexChecksum> after) {
        if (!split()) {
            throw new IllegalStateException("table " + record.table().name() + " is not split into key ranges");
        }
        if (!owner.equals(context.catalog().frozenBy(record.table().id()))) {
            throw new TableBusyException("table " + record.table().name()
                    + " is not frozen yet on this node, which follows the cluster's log; try again");
        }
        compareAll();
        staging.sync();
        context.catalog()
                .imports()
                .intend(
                        record.id(),
                        context.catalog().imports().require(record.id()).progress(),
                        ImportRecord.Appending.prepared(record.id(), after, owner));
    }

    private void compareAll() {
        if (!compared && !replaced().isEmpty()) {
            OverlapReport unused = checkOverlap(0, 0);
        }
    }

    /**
     * Ingests the staged SSTs, and tombstones of the rows that they replace.
     *
     * @param after the table's checksums after that, as {@link #checkOverlap} returned them
     */
    @Override
    public void publishing(List<IndexChecksum> after) {
        if (entered(after)) {
            return;
        }
        if (split()) {
            throw context.catalog().awaitsDecision(context.catalog().imports().require(record.id()))
                    ? new TableBusyException(
                            "the append to table " + record.table().name() + " waits for an entry of the cluster's log")
                    : new OperationFailedException("rows cannot be added to table "
                            + record.table().name() + ": no entry of the cluster's log has published them;"
                            + " import again");
        }
        OverlapReport met = checkOverlap(0, 1);
        if (met.collided() > 0 || !met.after().equals(after)) {
            throw new OperationFailedException("rows cannot be added to table "
                    + record.table().name() + ": it changed after they were compared with it; import again");
        }
        enter(after);
    }

    /** Ingests as {@link #publishing} does, by an entry of the cluster's log. */
    @Override
    public void decided(List<IndexChecksum> after) {
        if (!entered(after)) {
            compareAll();
            enter(after);
        }
    }

    private boolean entered(List<IndexChecksum> after) {
        return after.equals(entered());
    }

    /**
     * The table's checksums if an earlier call has ingested, and failed before the table's record was written: the disk
     * was full. Null: nothing is in the tree.
     */
    @Nullable
    List<IndexChecksum> entered() {
        ImportRecord running = context.catalog().imports().require(record.id());
        ImportRecord.Appending append = running.append();
        return append != null && entered(context, running) ? append.after() : null;
    }

    /** Resumes compactions; they were paused if an ingest failed. */
    @Override
    public void left() {
        resumeMerges();
    }

    private void enter(List<IndexChecksum> after) {
        List<SstFile> files = files();
        List<Path> paths = new ArrayList<>();
        List<byte[]> deleted = replaced().deletions();
        if (!deleted.isEmpty()) {
            Path deletions = staging.directory().resolve(DELETIONS);
            Replaced.write(deleted, deletions);
            paths.add(deletions);
        }
        files.forEach(each -> paths.add(each.path()));
        if (paths.isEmpty()) {
            return;
        }
        pauseMerges();
        staging.sync();
        // Rows that statements have put are then in files with lower numbers, by which recovery tells them apart.
        family().flush();
        byte[] smallest = files.isEmpty() ? deleted.get(0) : files.get(0).smallestKey();
        byte[] largest =
                files.isEmpty() ? deleted.get(deleted.size() - 1) : files.get(0).largestKey();
        List<String> names =
                paths.stream().map(path -> String.valueOf(path.getFileName())).toList();
        context.catalog()
                .imports()
                .intend(
                        record.id(),
                        new ImportRecord.Progress(ImportPhase.INGESTING, names, LsmShape.newest(family().files())),
                        new ImportRecord.Appending(record.id(), after, smallest, largest, owner()));
        context.faults().reached(FaultPoints.INTENT);
        family().ingest(paths);
        context.faults().reached(FaultPoints.INGESTED);
    }

    private @Nullable String owner() {
        ImportRecord.Appending append =
                context.catalog().imports().require(record.id()).append();
        return append == null ? null : append.owner();
    }

    /** Whether the files of an import that was about to ingest are in the tree: either all are, or none. */
    static boolean entered(ImportContext context, ImportRecord running) {
        ImportRecord.Appending append = running.append();
        return append != null
                && running.phase() == ImportPhase.INGESTING
                && LsmShape.cameSince(
                        running.progress().newestBefore(),
                        new KeyBounds(append.smallestKey(), append.largestKey()),
                        context.store().family(running.family()).files());
    }

    @Override
    public void ensureFinalized() {}

    @Override
    public void published() {
        resumeMerges();
    }

    private TableRecord table() {
        return context.catalog().require(record.table().name());
    }
}
