package io.sluice.node.ingest;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.SstCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.TableRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The intake of SSTs for an existing table. SSTs wait in staging and are compared with the table
 * ({@link #checkOverlap}). When the import is published, they enter the table's tree in one atomic call, together with
 * tombstones of the rows that they replace. Until then the table does not change.
 *
 * <p>A record written before that call is enough to finish after it: a process that dies in between leaves all rows or
 * none ({@link #entered}).
 */
final class AppendIntake extends AtEndIntake {
    private static final String DELETIONS = "deletions.sst";

    /** KVs that an append across a network may delete: they take some 200 bytes each of the node's memory. */
    private static final int MOST_REPLACED = 1 << 20;

    /** Null until it is read from {@link ReplacedKeys#FILE}. */
    private @Nullable Replaced replaced;

    AppendIntake(ImportContext context, Gate gate, ImportRecord record, Staging staging) {
        super(context, gate, record, staging);
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
        Replaced replaced = replaced();
        try (FamilyView view = family().latest()) {
            OverlapCheck check = new OverlapCheck(table, view, replaced, skip, mostCollisions);
            List<SstFile> files = sorted();
            files.forEach(check::compare);
            List<IndexChecksum> after = new ArrayList<>();
            List<IndexChecksum> repeated = new ArrayList<>();
            ShippedChecksums shipped = ShippedChecksums.of(files);
            List<IndexChecksum> before = table().imported();
            for (int i = 0; i < table.indexes().size(); i++) {
                Index index = table.indexes().get(i);
                String name = index.def().name();
                KvChecksum sum = before.get(i)
                        .sum()
                        .plus(shipped.of(index.def().id()))
                        .minus(check.overwritten(i))
                        .minus(replaced.gone(i));
                after.add(new IndexChecksum(name, sum));
                repeated.add(new IndexChecksum(name, check.repeated(i)));
            }
            return new OverlapReport(after, repeated, check.collisions(), check.collided());
        }
    }

    /**
     * The table's digest after the import, from reading the table and all staged KVs.
     *
     * @param has digest of the table, as read
     * @throws OperationFailedException when a staged KV does not match its checksum
     */
    @Override
    public TableDigest readBack(TableDigest has) {
        Table table = record.table();
        List<IndexDigest> digests = IndexDigest.ofAll(table);
        Replaced replaced = replaced();
        try (FamilyView view = family().latest()) {
            OverlapCheck check = new OverlapCheck(table, view, replaced, 0, 0);
            List<IndexChecksum> after = new ArrayList<>();
            for (int i = 0; i < table.indexes().size(); i++) {
                KvChecksum.Accumulator comes = new KvChecksum.Accumulator(digests.get(i));
                for (SstFile each : files()) {
                    if (each.indexId() == table.indexes().get(i).def().id()) {
                        check.compare(each);
                        add(each, comes);
                    }
                }
                IndexChecksum before = has.indexes().get(i);
                KvChecksum goes = check.overwritten(i).plus(replaced.gone(i));
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

    /** The existing rows that hold the given keys. */
    List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys) {
        Table table = record.table();
        RowDecoder decoder = new RowDecoder(table);
        IndexKeys indexKeys = new IndexKeys(table);
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
                    value = view.get(primaryKey);
                }
                holders.add(value == null ? null : new OverlapReport.Holder(primaryKey, value));
            }
        }
        return holders;
    }

    /**
     * Sets a part of the rows that the import replaces. An import that outlives its process keeps their keys in a file.
     *
     * @param first whether it begins the list anew
     */
    void replace(boolean first, List<byte[]> primaryKeys) {
        Replaced all = first ? Replaced.none() : replaced();
        int most = record.claim() == null ? Integer.MAX_VALUE : MOST_REPLACED;
        try (FamilyView view = family().latest()) {
            all.add(record.table(), view, primaryKeys, most);
        }
        if (record.claim() != null) {
            ReplacedKeys.write(staging.directory().resolve(ReplacedKeys.FILE), first, primaryKeys);
        }
        replaced = all;
    }

    private Replaced replaced() {
        Replaced known = replaced;
        if (known == null) {
            known = Replaced.none();
            List<byte[]> keys = ReplacedKeys.read(staging.directory().resolve(ReplacedKeys.FILE));
            try (FamilyView view = family().latest()) {
                known.add(record.table(), view, keys, MOST_REPLACED);
            }
            replaced = known;
        }
        return known;
    }

    /**
     * Ingests the staged SSTs, and tombstones of the rows that they replace.
     *
     * @param after the table's checksums after that, as {@link #checkOverlap} returned them
     */
    @Override
    public void publishing(List<IndexChecksum> after) {
        OverlapReport met = checkOverlap(0, 1);
        if (met.collided() > 0 || !met.after().equals(after)) {
            throw new OperationFailedException("rows cannot be added to table "
                    + record.table().name() + ": it changed after they were compared with it; import again");
        }
        List<SstFile> files = files();
        List<Path> paths = new ArrayList<>();
        Path deletions = staging.directory().resolve(DELETIONS);
        if (replaced().write(deletions)) {
            paths.add(deletions);
        }
        files.forEach(each -> paths.add(each.path()));
        if (files.isEmpty()) {
            return;
        }
        pauseMerges();
        staging.sync();
        // Rows that statements have put are then in files with lower numbers, by which recovery tells them apart.
        family().flush();
        SstFile one = files.get(0);
        List<String> names =
                paths.stream().map(path -> String.valueOf(path.getFileName())).toList();
        context.catalog()
                .intend(
                        record.id(),
                        new ImportRecord.Progress(ImportPhase.INGESTING, names, LsmShape.newest(family().files())),
                        new ImportRecord.Appending(record.id(), after, one.smallestKey(), one.largestKey()));
        context.faults().reached(FaultPoints.INTENT);
        family().ingest(paths);
        context.faults().reached(FaultPoints.INGESTED);
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
