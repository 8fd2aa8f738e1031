package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.kv.RowDecoder;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.api.row.Row;
import io.sluice.api.schema.Index;
import io.sluice.api.schema.Table;
import io.sluice.node.catalog.ImportPhase;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.compact.KeyBounds;
import io.sluice.node.store.Family;
import io.sluice.node.store.FamilyView;
import io.sluice.node.store.LiveSst;
import io.sluice.node.store.SstCursor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * SSTs for a table that has rows. They wait in staging, are held against the table ({@link #checkOverlap}), and enter its tree
 * in one atomic call when the import is published, together with deletions of the rows that they replace. Until then
 * the table is as it was.
 *
 * <p>What is written down before that call is enough to finish after it: a process that dies in between leaves all rows
 * or none ({@link #entered}).
 */
final class AppendIntake implements Intake {
    private static final String DELETIONS = "deletions.sst";

    private final ImportContext context;
    private final Gate gate;
    private final Staging staging;
    private final ImportRecord begun;
    private final KeyedLock turns = new KeyedLock();
    /** Guarded by itself: shippers add to them at the same time. */
    private final List<StagedSst> staged = new ArrayList<>();
    /** Ids of those. */
    private final Set<UUID> known = ConcurrentHashMap.newKeySet();

    private Replaced replaced = Replaced.none();
    private boolean paused;

    AppendIntake(ImportContext context, Gate gate, ImportRecord begun, Staging staging) {
        this.context = context;
        this.gate = gate;
        this.begun = begun;
        this.staging = staging;
    }

    @Override
    public Progress progress(UUID sst) {
        return known.contains(sst) ? Progress.STAGED : Progress.UNKNOWN;
    }

    private List<StagedSst> files() {
        synchronized (staged) {
            return List.copyOf(staged);
        }
    }

    @Override
    public Gate.Entry enter(SstFile announced) {
        return gate.enterStaging(announced);
    }

    @Override
    public ShipAnswer ship(SstFile sst, Gate.@Nullable Place place) {
        try {
            return turns.inTurn(sst.id(), () -> {
                if (progress(sst.id()) != Progress.UNKNOWN) {
                    return Staging.repeated(sst);
                }
                StagedSst arrived = staging.accept(sst);
                synchronized (staged) {
                    staged.add(arrived);
                }
                known.add(sst.id());
                context.faults().reached(FaultPoints.SHIPPED);
                return new ShipAnswer.Taken();
            });
        } finally {
            if (place != null) {
                place.leave();
            }
        }
    }

    @Override
    public void eachTaken(Consumer<KeyBounds> visitor) {
        files().forEach(each -> visitor.accept(
                new KeyBounds(each.sst().smallestKey(), each.sst().largestKey())));
    }

    /** Nothing enters the tree before {@link #enterTree}. */
    @Override
    public IngestReport finalizeIngest() {
        List<StagedSst> files = files();
        List<LiveSst> live = family().files();
        return new IngestReport(
                files.size(),
                0,
                LsmShape.maxHeight(live),
                LsmShape.filesInLevel0(live),
                files.stream().mapToLong(each -> each.sst().fileBytes()).sum(),
                files.stream().mapToLong(StagedSst::bytesCopied).sum(),
                0);
    }

    /** What the table holds and goes on to hold until the import is published. */
    @Override
    public List<IndexChecksum> present() {
        return table().imported();
    }

    /** Holds what is staged against the table. */
    OverlapReport checkOverlap(int mostCollisions) {
        Table table = begun.table();
        try (FamilyView view = family().latest()) {
            OverlapCheck encounter = new OverlapCheck(table, view, replaced, mostCollisions);
            List<StagedSst> files = files();
            files.forEach(encounter::meet);
            List<IndexChecksum> after = new ArrayList<>();
            List<IndexChecksum> repeated = new ArrayList<>();
            ShippedChecksums shipped =
                    ShippedChecksums.of(files.stream().map(StagedSst::sst).toList());
            List<IndexChecksum> before = table().imported();
            for (int i = 0; i < table.indexes().size(); i++) {
                Index index = table.indexes().get(i);
                String name = index.def().name();
                KvChecksum sum = before.get(i)
                        .sum()
                        .plus(shipped.of(index.def().id()))
                        .minus(encounter.overwritten(i))
                        .minus(replaced.gone(i));
                after.add(new IndexChecksum(name, sum));
                repeated.add(new IndexChecksum(name, encounter.repeated(i)));
            }
            return new OverlapReport(after, repeated, encounter.collisions(), encounter.collided());
        }
    }

    /**
     * What the table will add up to, as far as that can be read: all KVs that are staged are read for it, too.
     *
     * @param has what the table was read to have
     * @throws OperationFailedException when a staged KV does not agree with its checksum
     */
    TableDigest added(TableDigest has) {
        Table table = begun.table();
        List<IndexDigest> digests = IndexDigest.ofAll(table);
        try (FamilyView view = family().latest()) {
            OverlapCheck encounter = new OverlapCheck(table, view, replaced, 0);
            List<IndexChecksum> after = new ArrayList<>();
            for (int i = 0; i < table.indexes().size(); i++) {
                KvChecksum.Accumulator comes = new KvChecksum.Accumulator(digests.get(i));
                for (StagedSst each : files()) {
                    if (each.sst().indexId() == table.indexes().get(i).def().id()) {
                        encounter.meet(each);
                        add(each, comes);
                    }
                }
                IndexChecksum before = has.indexes().get(i);
                KvChecksum goes = encounter.overwritten(i).plus(replaced.gone(i));
                after.add(new IndexChecksum(
                        before.index(), before.sum().plus(comes.sum()).minus(goes)));
            }
            return new TableDigest(table.name(), after);
        }
    }

    private void add(StagedSst staged, KvChecksum.Accumulator sum) {
        try (SstCursor cursor = new SstCursor(staged.path())) {
            for (; cursor.valid(); cursor.next()) {
                if (!sum.addIntact(cursor.key(), cursor.value())) {
                    throw new OperationFailedException("table " + begun.table().name() + ": a KV of SST "
                            + staged.sst().id() + ", which waits to be added, does not agree with its checksum;"
                            + " import again");
                }
            }
        }
    }

    /** The rows that hold keys. */
    List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys) {
        Table table = begun.table();
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

    /** Names the rows that leave. */
    void replace(List<byte[]> primaryKeys) {
        try (FamilyView view = family().latest()) {
            replaced = Replaced.of(begun.table(), view, primaryKeys);
        }
    }

    /**
     * Brings all rows in, and those that they replace out.
     *
     * @param after what the table must then add up to, as {@link #checkOverlap} has said
     */
    void enterTree(List<IndexChecksum> after) {
        OverlapReport met = checkOverlap(1);
        if (met.collided() > 0 || !met.after().equals(after)) {
            throw new OperationFailedException("rows cannot be added to table "
                    + begun.table().name() + ": it does not have what they were held against; import again");
        }
        List<StagedSst> files = files();
        List<Path> paths = new ArrayList<>();
        Path deletions = staging.directory().resolve(DELETIONS);
        if (replaced.write(deletions)) {
            paths.add(deletions);
        }
        files.forEach(each -> paths.add(each.path()));
        if (files.isEmpty()) {
            return;
        }
        paused = true;
        context.compactor().pause(begun.family());
        staging.sync();
        // What statements have put is then in files older than those that come: recovery tells them by their numbers.
        family().flush();
        SstFile one = files.get(0).sst();
        List<String> names =
                paths.stream().map(path -> String.valueOf(path.getFileName())).toList();
        context.catalog()
                .intend(
                        begun.id(),
                        new ImportRecord.Progress(ImportPhase.INGESTING, names, TreeFiles.newest(family().files())),
                        new ImportRecord.Appending(begun.id(), after, one.smallestKey(), one.largestKey()));
        context.faults().reached(FaultPoints.INTENT);
        family().ingest(paths);
        context.faults().reached(FaultPoints.INGESTED);
    }

    /** Whether the files of an import that was about to ingest are in the tree: all of them are, or none. */
    static boolean entered(ImportContext context, ImportRecord running) {
        ImportRecord.Appending append = running.append();
        return append != null
                && running.phase() == ImportPhase.INGESTING
                && TreeFiles.cameSince(
                        running.progress().newestBefore(),
                        append.smallestKey(),
                        append.largestKey(),
                        context.store().family(running.family()).files());
    }

    @Override
    public void ensureFinalized() {}

    @Override
    public void published() {
        resumeMerges();
    }

    @Override
    public void undoing() {
        resumeMerges();
    }

    private void resumeMerges() {
        if (paused) {
            paused = false;
            context.compactor().resume(begun.family());
        }
    }

    private TableRecord table() {
        return context.catalog().require(begun.table().name());
    }

    private Family family() {
        return context.store().family(begun.family());
    }
}
