package io.sluice.importer.job.staged;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableSource;
import io.sluice.api.node.TableStatus;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.importer.job.Stage;
import io.sluice.importer.job.read.WorkerPool;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Reads a published table into a staged set, which an ingest restores:
 *
 * <ol>
 *   <li>note the checksum of each index, which the store keeps up to date
 *   <li>cut the table into key spans; read them in parallel, page by page, into SSTs of about 64 MiB
 *   <li>compare: the SSTs must hold the KVs that the table had in step 1
 *   <li>write the manifest
 * </ol>
 *
 * <p>A snapshot does not change. Otherwise pages are of different moments, so a table that changes between the steps 1
 * and 2 fails the comparison. A failure removes the SSTs. Memory: a page of 1 MiB and the writer of an SST per thread
 * and index.
 */
public final class TableBackup {
    private static final long TARGET_SST_BYTES = 64L << 20;

    /** A thread that is done with small parts takes more. */
    private static final int PARTS_PER_THREAD = 4;

    private final TableSource source;
    private final TableStatus status;
    private final SetPlace place;
    private final int threads;
    private final ImportProgress progress;
    private final AtomicBoolean stopped = new AtomicBoolean();

    /**
     * Prepares a backup.
     *
     * @param source has the table; the caller closes it
     * @param status the table
     * @param place of the set: new, empty, or left by an interrupted backup
     * @param threads number of threads that read
     * @param progress shows its progress; its bytes are those of keys and values
     */
    public TableBackup(TableSource source, TableStatus status, SetPlace place, int threads, ImportProgress progress) {
        this.source = source;
        this.status = status;
        this.place = place;
        this.threads = threads;
        this.progress = progress;
    }

    /**
     * The result of a backup.
     *
     * @param set the finished set
     * @param already whether the place had the set of the same rows before
     */
    public record Result(StagedSet set, boolean already) {}

    /**
     * Runs the backup.
     *
     * @throws BadInputException if the place holds anything else, or the keys of an interleaved table hold ids that an
     *     ingest cannot give
     * @throws OperationFailedException if the table changes meanwhile, a KV does not match its checksum, or the SSTs
     *     cannot be written; nothing is left
     * @throws InterruptedException if the thread is interrupted; nothing is left
     */
    public Result run() throws InterruptedException {
        if (status.incomplete() != null) {
            throw new OperationFailedException(status.incomplete());
        }
        StagedManifest.Target target = StagedManifest.Target.ofStored(status.table(), this::definition);
        TableDigest before = source.digest(status);
        StagedManifest.Sources sources = new StagedManifest.Sources(
                "kvs",
                ConflictPolicy.ERROR.label(),
                List.of(new StagedManifest.Source(
                        "table " + before.table(), before.total().bytes(), before.digest())));
        try (StagedBuild build = StagedBuild.open(place, target, sources, true)) {
            if (build.isComplete()) {
                return new Result(build.set(), true);
            }
            build.replicated(status.directory().replicas());
            progress.expectBytes(before.total().bytes());
            progress.expect(1, before.indexes().size());
            ImportRequest request = new ImportRequest(status.table().def(), IngestTiming.AT_END, null, 0);
            try (ImportSession session = build.beginImport(request)) {
                progress.enter(Phase.IMPORT);
                read(build.workDirectory(), session);
                progress.enter(Phase.VERIFY);
                var unused = session.finalizeIngest();
                TableDigest found = new TableDigest(before.table(), session.present());
                if (!found.equals(before)) {
                    throw changed(before, found);
                }
                progress.enter(Phase.PUBLISH);
                session.publish(found.indexes());
            }
            return new Result(build.set(), false);
        }
    }

    private @Nullable TableDef definition(String name) {
        TableStatus found = source.table(name);
        return found == null ? null : found.table().def();
    }

    private OperationFailedException changed(TableDigest before, TableDigest found) {
        String name = before.table();
        TableStatus now = source.table(name);
        if (now == null || now.table().id() != status.table().id()) {
            return new OperationFailedException("table " + name + " was dropped while it was read; nothing was kept");
        }
        String counts = found.rows() + " rows were read, it had " + before.rows();
        return new OperationFailedException(
                source.digest(now).equals(before)
                        ? "table " + name + " holds other KVs than its store counts: " + counts
                                + ", digest " + found.digest() + ", not " + before.digest()
                                + "; nothing was kept. Compare with 'sluice digest', and replicas with 'sluice cluster"
                                + " verify'"
                        : "table " + name + " changed while it was read: " + counts
                                + "; nothing was kept. Run the command again when no statement or import changes it");
    }

    /** A part of the table: a span, and the indexes whose keys it may have. */
    private record Part(KeySpan span, List<Integer> ordinals) {}

    private List<Part> parts() {
        Table table = status.table();
        IndexKeys keys = new IndexKeys(table);
        // Indexes that are interleaved in the same table share a span.
        Map<KeySpan, List<Integer>> spans = new LinkedHashMap<>();
        for (int i = 0; i < table.indexes().size(); i++) {
            spans.computeIfAbsent(keys.span(i), span -> new ArrayList<>()).add(i);
        }
        List<byte[]> cuts = source.splitKeys(table.name(), Math.min(threads * PARTS_PER_THREAD, NodeClient.MOST_PARTS));
        List<Part> parts = new ArrayList<>();
        spans.forEach((span, ordinals) -> {
            byte[] start = span.start();
            for (byte[] cut : cuts) {
                if (span.contains(cut)) {
                    parts.add(new Part(new KeySpan(start, cut), ordinals));
                    start = cut;
                }
            }
            parts.add(new Part(new KeySpan(start, span.end()), ordinals));
        });
        // Only the primary index is cut: the parts of the others are the large ones.
        Collections.reverse(parts);
        return parts;
    }

    private void read(Path work, ImportSession session) throws InterruptedException {
        Queue<Part> parts = new ConcurrentLinkedQueue<>(parts());
        try (SstFormat format = new SstFormat(
                SstFormat.Writer.JAVA, place.local() ? SstFormat.Place.SYNCED_FILES : SstFormat.Place.FILES)) {
            WorkerPool.run(
                    "sluice-backup",
                    Collections.<WorkerPool.Work>nCopies(Math.min(threads, parts.size()), () -> {
                        for (Part part = parts.poll(); part != null && !stopped.get(); part = parts.poll()) {
                            try (Reader reader = new Reader(part, work, session, format)) {
                                reader.run();
                            }
                        }
                    }),
                    () -> stopped.set(true));
        }
    }

    /** Reads a part into SSTs, in one thread. */
    private final class Reader implements Closeable {
        private final Part part;
        private final Path work;
        private final ImportSession session;
        private final SstFormat format;
        private final RowDecoder decoder = new RowDecoder(status.table());
        private final List<IndexDigest> digests = IndexDigest.ofAll(status.table());
        private final @Nullable SstBuilder[] builders =
                new SstBuilder[status.table().indexes().size()];
        private byte[] entry = new byte[1 << 10];
        private long sinceNanos = System.nanoTime();

        Reader(Part part, Path work, ImportSession session, SstFormat format) {
            this.part = part;
            this.work = work;
            this.session = session;
            this.format = format;
        }

        void run() {
            try {
                source.readKvs(status.table().name(), part.span(), this::take);
                for (int ordinal = 0; !stopped.get() && ordinal < builders.length; ordinal++) {
                    finish(ordinal);
                }
            } catch (IOException | UncheckedIOException e) {
                throw new OperationFailedException(
                        "the set " + place + " cannot be written: " + Reasons.plain(e) + "; nothing is left of it", e);
            }
        }

        private boolean take(KvPage page) {
            spent(Stage.SOURCE);
            try {
                for (int i = 0; i < page.keys().size(); i++) {
                    byte[] value = page.values().get(i);
                    if (value == null) {
                        throw new OperationFailedException("a page of the table has a deleted key");
                    }
                    add(page.keys().get(i), value);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            progress.done(page.bytes(), page.sums().get(0).count());
            spent(Stage.SST);
            return !stopped.get();
        }

        private void spent(Stage stage) {
            long now = System.nanoTime();
            progress.spent(stage, now - sinceNanos);
            sinceNanos = now;
        }

        private void add(byte[] key, byte[] value) throws IOException {
            int ordinal = ordinal(key);
            SstBuilder builder = builders[ordinal];
            // No entry is in two SSTs.
            if (builder != null && builder.bytes() >= TARGET_SST_BYTES && EntryKeys.first(key)) {
                finish(ordinal);
                builder = null;
            }
            if (builder == null) {
                builder = new SstBuilder(work, digests.get(ordinal), format);
                builders[ordinal] = builder;
            }
            if (entry.length < key.length + value.length) {
                entry = new byte[2 * (key.length + value.length)];
            }
            System.arraycopy(key, 0, entry, 0, key.length);
            System.arraycopy(value, 0, entry, key.length, value.length);
            builder.add(entry, 0, key.length, value.length);
        }

        private int ordinal(byte[] key) {
            List<Integer> ordinals = part.ordinals();
            return ordinals.size() == 1
                    ? ordinals.get(0)
                    : ordinals.stream()
                            .filter(each -> owns(each, key))
                            .findFirst()
                            .orElseThrow(() -> foreign(key));
        }

        private boolean owns(int ordinal, byte[] key) {
            try {
                return decoder.owns(ordinal, key);
            } catch (CorruptKvException e) {
                OperationFailedException failure = foreign(key);
                failure.addSuppressed(e);
                throw failure;
            }
        }

        private OperationFailedException foreign(byte[] key) {
            return new OperationFailedException("table " + status.table().name() + ": the key "
                    + HexFormat.of().formatHex(key) + " is of none of its indexes; nothing was kept");
        }

        private void finish(int ordinal) throws IOException {
            SstBuilder builder = builders[ordinal];
            if (builder != null) {
                builders[ordinal] = null;
                try (builder) {
                    var unused = session.ship(builder.finish(), 0);
                }
            }
        }

        @Override
        public void close() throws IOException {
            for (SstBuilder builder : builders) {
                if (builder != null) {
                    builder.close();
                }
            }
        }
    }
}
