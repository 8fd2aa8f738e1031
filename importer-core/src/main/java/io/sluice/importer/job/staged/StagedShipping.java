package io.sluice.importer.job.staged;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.importer.job.ShippingProgress;
import io.sluice.importer.ship.Shipper;
import io.sluice.importer.sst.SstCutter;
import io.sluice.importer.sst.SstFormat;
import io.sluice.importer.sst.SstRewriter;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Interrupts;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * Ships the SSTs of a staged set to the nodes of an import: copies, since shipping takes files away, rewritten if the
 * table has another id there. For one ingest.
 */
final class StagedShipping {
    /** Key of the record by which an attempt says that it ships every SST under its own id. */
    static final String UNCHANGED = "staged-unchanged";

    private final StagedSet set;
    private final ImportSession session;
    private final Table built;
    private final Table table;
    private final Path workDirectory;
    private final int workers;
    private final ImportControl control;
    private final ImportProgress progress;

    StagedShipping(
            StagedSet set,
            ImportSession session,
            Path workDirectory,
            int workers,
            ImportControl control,
            ImportProgress progress) {
        this.set = set;
        this.session = session;
        built = set.manifest().table();
        table = session.table();
        this.workDirectory = workDirectory;
        this.workers = workers;
        this.control = control;
        this.progress = progress;
    }

    /**
     * Ships all SSTs, and waits until the nodes have taken them.
     *
     * @param resumable whether a later attempt may go on with what the nodes have taken
     * @return whether the SSTs were rewritten, because the table has another id than in the set
     */
    boolean ship(boolean resumable) throws IOException, InterruptedException {
        boolean rewrite = table.id() != built.id();
        if (!table.equals(built) && (built.interleaved() || table.interleaved())) {
            throw new BadInputException("table " + built.name()
                    + " is interleaved, and its keys hold the ids of the tables above it. The set was"
                    + " built for other ids than those of this store: import the inputs instead, or"
                    + " ingest the sets of one schema in its order into a new store");
        }
        progress.restart();
        progress.enter(Phase.IMPORT);
        boolean unchanged = !rewrite && session.nodes() == 1;
        if (resumable) {
            session.putCheckpoint(unchanged ? UNCHANGED : "staged-rewritten", new byte[] {1});
        }
        for (Index index : session.nodes() > 1 ? built.indexes() : List.<Index>of()) {
            session.chooseCuts(index.def().id(), splitKeys(index));
        }
        try (SstFormat format = new SstFormat(
                        SstFormat.Writer.JAVA,
                        session.takesFiles() ? SstFormat.Place.SYNCED_FILES : SstFormat.Place.FILES);
                Shipper shipper = new Shipper(
                        session,
                        new SstCutter(workDirectory, table, format),
                        workers,
                        Shipper.MOST_BYTES,
                        new ShippingProgress(progress, this::handedOver),
                        control.giveUpAfterMillis())) {
            SstRewriter rewriter = rewrite ? new SstRewriter(workDirectory, format, built, table) : null;
            try {
                for (StagedManifest.Sst sst : set.manifest().ssts()) {
                    SstFile original = pausing(set.place().sst(sst));
                    if (rewriter == null) {
                        shipper.ship(sst.bytes(), () -> shipped(original));
                    } else {
                        shipper.ship(rewritten(original, rewriter));
                    }
                }
                shipper.awaitAll();
            } catch (IOException | InterruptedException | RuntimeException e) {
                shipper.stop();
                throw e;
            }
        }
        return rewrite;
    }

    /**
     * Keys that split an index: the first and the sampled keys of its SSTs, with the ids that the table has on the
     * nodes. The shipper cuts the SSTs that lie in two ranges.
     */
    private List<byte[]> splitKeys(Index index) {
        int ordinal = built.ordinal(index.def().id());
        byte[] oldPrefix = new IndexKeys(built).span(ordinal).start();
        byte[] newPrefix = new IndexKeys(table).span(ordinal).start();
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        for (StagedManifest.Sst sst : set.manifest().ssts()) {
            if (sst.indexId() == index.def().id()) {
                SstFile described = set.place().sst(sst);
                keys.add(described.smallestKey());
                keys.addAll(described.samples());
            }
        }
        keys.pollFirst();
        List<byte[]> moved = keys.stream()
                .map(key -> {
                    byte[] renamed = Arrays.copyOf(newPrefix, newPrefix.length + key.length - oldPrefix.length);
                    System.arraycopy(key, oldPrefix.length, renamed, newPrefix.length, key.length - oldPrefix.length);
                    return renamed;
                })
                .toList();
        return new IndexKeys(table).borders(ordinal, moved);
    }

    /** An SST whose copy pauses the ingest if the object store does not answer, since that may pass. */
    private static SstFile pausing(SstFile sst) {
        return sst.bytes() instanceof SstBytes.InStore stored
                ? sst.with(new SstBytes.InStore(new Pausing(stored.object()), stored.crc32c()))
                : sst;
    }

    private record Pausing(SstBytes.StoredObject object) implements SstBytes.StoredObject {
        @Override
        public URI address() {
            return object.address();
        }

        @Override
        public void copyTo(Path file) throws IOException {
            try {
                object.copyTo(file);
            } catch (OperationFailedException e) {
                throw Interrupts.caused(e) ? e : new ImportPausedException(String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public String toString() {
            return object.toString();
        }
    }

    /** A copy of an SST to ship; the SST itself if nodes of other processes may read it from an object store. */
    private SstFile shipped(SstFile sst) throws IOException {
        return set.place().local() || session.takesFiles() ? copy(sst, session.takesFiles()) : sst;
    }

    /** Copies an SST, since shipping takes its file away. */
    private SstFile copy(SstFile sst, boolean synced) throws IOException {
        SstFile copy = sst.with(new SstBytes.OnDisk(
                workDirectory.resolve(sst.id() + SetPlace.SST), sst.bytes().crc32c()));
        if (sst.bytes() instanceof SstBytes.InStore stored) {
            stored.object().copyTo(copy.path());
        } else {
            Files.copy(sst.path(), copy.path());
        }
        if (synced) {
            try (FileChannel channel = FileChannel.open(copy.path(), StandardOpenOption.WRITE)) {
                channel.force(true);
            }
        }
        return copy;
    }

    private SstFile rewritten(SstFile sst, SstRewriter rewriter) throws IOException {
        if (set.place().local()) {
            return rewriter.rewrite(sst);
        }
        SstFile copy = copy(sst, false);
        try {
            return rewriter.rewrite(copy);
        } finally {
            Files.delete(copy.path());
        }
    }

    private void handedOver(SstFile sst) {
        progress.done(
                sst.fileBytes(),
                sst.indexId() == IndexDef.PRIMARY_ID ? sst.sum().count() : 0);
    }
}
