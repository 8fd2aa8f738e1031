package io.sluice.importer.job.staged;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.ImportTarget;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.sort.RunCursor;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.sst.PlainSst;
import io.sluice.importer.sst.SstFormat;
import io.sluice.importer.sst.SstRun;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.plain.PlainKvs;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A directory in the place of a storage node: an import in mode merge leaves its SSTs there, and the publication writes
 * the manifest. So a build has the steps, the memory budget, the rejects and the conflict policies of an import.
 *
 * <p>A directory without a manifest holds remains of a build that did not finish; the next build removes them. A lock
 * keeps a second process out. Thread-safe as far as {@link ImportSession} demands.
 */
public final class StagedBuild implements ImportTarget {
    private static final String LOCK = "LOCK";
    private static final String WORK = "work";
    private static final String SST = ".sst";
    /** Suffix of a file that {@link DurableFiles} has not written to its end. */
    private static final String PART = ".part";

    private final Path directory;
    private final StagedManifest.Target target;
    private final StagedManifest.Sources sources;
    private final Table table;
    private final @Nullable PlainKvs plain;
    private final FileChannel lockFile;
    private final boolean complete;

    private StagedBuild(
            Path directory,
            StagedManifest.Target target,
            StagedManifest.Sources sources,
            Table table,
            @Nullable PlainKvs plain,
            FileChannel lockFile,
            boolean complete) {
        this.directory = directory;
        this.target = target;
        this.sources = sources;
        this.table = table;
        this.plain = plain;
        this.lockFile = lockFile;
        this.complete = complete;
    }

    /**
     * Locks a directory for a build; creates it if there is none, and removes what an unfinished build has left.
     *
     * @param target the table and the form of its KVs
     * @param format description of the inputs' format
     * @throws BadInputException if another process builds there, or the directory holds another set or other files
     */
    public static StagedBuild open(
            Path directory,
            StagedManifest.Target target,
            String format,
            ConflictPolicy onConflict,
            List<InputFile> inputs) {
        StagedManifest.Sources sources =
                new StagedManifest.Sources(format, onConflict.label(), StagedManifest.Source.of(inputs));
        FileChannel lock = null;
        try {
            OwnerOnly.createDirectories(directory);
            refuseOthersFiles(directory);
            lock = OwnerOnly.open(
                    directory.resolve(LOCK),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            if (isHeldElsewhere(lock) || !isStillThere(lock, directory.resolve(LOCK))) {
                throw new BadInputException(directory + ": another process builds a set there; wait until it ends");
            }
            boolean complete = StagedManifest.exists(directory);
            if (complete && !StagedManifest.read(directory).sameWork(target, sources)) {
                throw new BadInputException(
                        directory
                                + ": holds a staged set of other inputs or options; name another directory, or remove this one");
            }
            if (complete && !inputs.stream().allMatch(InputFile::repeatable)) {
                throw new BadInputException(
                        directory + ": holds a finished set, and an input that can be read only once"
                                + " cannot be compared with its inputs; name another directory, or ingest this set");
            }
            StagedBuild build =
                    new StagedBuild(directory, target, sources, target.bound(), target.plain(), lock, complete);
            if (!complete) {
                build.removeRemains();
            }
            OwnerOnly.createDirectories(build.workDirectory());
            return build;
        } catch (IOException e) {
            close(lock);
            throw new BadInputException("--output " + directory + ": cannot be used: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            close(lock);
            throw e;
        }
    }

    private static void close(@Nullable FileChannel lock) {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("resource") // the lock is released with its channel
    private static boolean isHeldElsewhere(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    /**
     * Whether the locked file is still the one of that name: a build that ends deletes its file, perhaps after this
     * process has opened it, and a third one may have created another. Only the holder of a file's lock writes to it.
     */
    private static boolean isStillThere(FileChannel lock, Path file) throws IOException {
        byte[] mark = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
        lock.write(ByteBuffer.wrap(mark), 0);
        try {
            return Arrays.equals(mark, Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** A build removes remains, so it must not begin in a directory with anything else. */
    private static void refuseOthersFiles(Path directory) throws IOException {
        for (Path file : DurableFiles.list(directory)) {
            if (!isOurs(String.valueOf(file.getFileName()))) {
                throw new BadInputException("--output " + directory + ": holds " + file.getFileName()
                        + ", which is not of a staged set; name a new or empty directory");
            }
        }
    }

    private static boolean isOurs(String name) {
        return name.equals(LOCK) || name.equals(WORK) || name.equals(StagedManifest.FILE) || isRemains(name);
    }

    /** Whether a file is of a build without a manifest: an SST, or a file that was not written to its end. */
    private static boolean isRemains(String name) {
        return name.equals(StagedManifest.FILE + PART)
                || name.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.sst(\\.part)?");
    }

    private void removeRemains() throws IOException {
        for (Path file : DurableFiles.list(directory)) {
            if (isRemains(String.valueOf(file.getFileName()))) {
                Files.delete(file);
            }
        }
        DurableFiles.deleteTree(workDirectory());
    }

    /** Whether the directory holds the finished set of the same inputs and options: nothing is left to build. */
    public boolean isComplete() {
        return complete;
    }

    /** Directory for temporary files, on the disk of the set. Closing removes it. */
    public Path workDirectory() {
        return directory.resolve(WORK);
    }

    /** The finished set. */
    public StagedSet set() {
        return StagedSet.open(directory);
    }

    @Override
    public ImportSession beginImport(ImportRequest request) {
        if (request.append() || request.timing() != IngestTiming.AT_END) {
            throw new BadInputException("a staged set is built in mode merge, for a new table");
        }
        return new Session();
    }

    @Override
    public List<TableStatus> tables() {
        return List.of();
    }

    @Override
    public @Nullable TableStatus table(String name) {
        return null;
    }

    @Override
    public void close() {
        try {
            DurableFiles.deleteTree(workDirectory());
            Files.deleteIfExists(directory.resolve(LOCK));
        } catch (IOException e) {
            throw new OperationFailedException(
                    directory + ": temporary files could not be removed: " + e.getMessage(), e);
        } finally {
            close(lockFile);
        }
    }

    /** The build as an import session. */
    private final class Session implements ImportSession {
        private final List<SstFile> ssts = new ArrayList<>();
        private boolean published;

        @Override
        public Table table() {
            return table;
        }

        @Override
        public @Nullable PlainKvs plain() {
            return plain;
        }

        @Override
        public boolean resumed() {
            return false;
        }

        @Override
        public RangeDirectory directory() {
            return RangeDirectory.SINGLE_NODE;
        }

        @Override
        public void assign(RangeDirectory ranges) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ShipAnswer ship(SstFile sst, long epoch) {
            Path file = directory.resolve(sst.id() + SST);
            SstFile staged;
            try {
                staged = plain == null ? moved(sst, file) : rewritten(sst, plain);
            } catch (IOException e) {
                throw new OperationFailedException(file + " could not be put in place: " + e.getMessage(), e);
            }
            synchronized (this) {
                ssts.add(staged);
            }
            return new ShipAnswer.Taken();
        }

        private SstFile moved(SstFile sst, Path file) throws IOException {
            int crc32c = sst.bytes().crc32c();
            DurableFiles.move(sst.path(), file);
            return new SstFile(
                    sst.id(),
                    new SstBytes.OnDisk(file, crc32c),
                    sst.indexId(),
                    sst.smallestKey(),
                    sst.largestKey(),
                    sst.fileBytes(),
                    sst.sum(),
                    sst.samples());
        }

        private SstFile rewritten(SstFile sst, PlainKvs form) throws IOException {
            try (SstFormat format = new SstFormat()) {
                SstFile written = PlainSst.write(sst, form, directory, format);
                Files.delete(sst.path());
                return written;
            }
        }

        @Override
        public ShipAnswer shuffle(ShuffleBatch batch, long epoch) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void putCheckpoint(String key, byte[] value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, byte[]> checkpoints() {
            return Map.of();
        }

        @Override
        public synchronized IngestReport finalizeIngest() {
            ssts.sort(Comparator.<SstFile>comparingInt(sst -> table.ordinal(sst.indexId()))
                    .thenComparing(SstFile::smallestKey, Arrays::compareUnsigned));
            for (int i = 1; i < ssts.size(); i++) {
                SstFile before = ssts.get(i - 1);
                if (before.indexId() == ssts.get(i).indexId()
                        && Arrays.compareUnsigned(
                                        before.largestKey(), ssts.get(i).smallestKey())
                                >= 0) {
                    throw new OperationFailedException(before.path() + " and "
                            + ssts.get(i).path() + " overlap. This is a defect of Sluice; please report it");
                }
            }
            long bytes = ssts.stream().mapToLong(SstFile::fileBytes).sum();
            return new IngestReport(ssts.size(), 0, 1, 0, bytes, 0, 0);
        }

        @Override
        public synchronized List<IndexChecksum> present() {
            List<IndexChecksum> sums = new ArrayList<>();
            for (Index index : table.indexes()) {
                KvChecksum sum = ssts.stream()
                        .filter(sst -> sst.indexId() == index.def().id())
                        .map(SstFile::sum)
                        .reduce(KvChecksum.EMPTY, KvChecksum::plus);
                sums.add(new IndexChecksum(index.def().name(), sum));
            }
            return sums;
        }

        @Override
        public synchronized TableDigest readBack(List<KeySpan> spans) {
            List<KvChecksum.Accumulator> sums = IndexDigest.ofAll(table).stream()
                    .map(KvChecksum.Accumulator::new)
                    .toList();
            for (SstFile sst : ssts) {
                for (KeySpan span : spans) {
                    read(sst, span, sums.get(table.ordinal(sst.indexId())));
                }
            }
            List<IndexChecksum> found = new ArrayList<>();
            for (int i = 0; i < sums.size(); i++) {
                found.add(new IndexChecksum(
                        table.indexes().get(i).def().name(), sums.get(i).sum()));
            }
            return new TableDigest(table.name(), found);
        }

        private void read(SstFile sst, KeySpan span, KvChecksum.Accumulator sum) {
            if (plain == null
                    && (Arrays.compareUnsigned(sst.largestKey(), span.start()) < 0
                            || Arrays.compareUnsigned(span.end(), sst.smallestKey()) <= 0)) {
                return;
            }
            try (RunCursor cursor =
                    plain == null ? new SstRun(sst).cursor(span.start(), span.end()) : PlainSst.framed(sst, plain)) {
                while (cursor.advance()) {
                    if (plain != null && !span.contains(cursor.key())) {
                        continue;
                    }
                    if (!sum.addIntact(cursor.buffer(), cursor.keyOffset(), cursor.keyLength(), cursor.valueLength())) {
                        throw new OperationFailedException(sst.path()
                                + ": a KV does not agree with its checksum; check the disk, and build again");
                    }
                }
            } catch (IOException e) {
                throw new OperationFailedException(String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public synchronized void publish(List<IndexChecksum> imported) {
            List<StagedManifest.Sst> described = ssts.stream()
                    .map(sst -> StagedManifest.Sst.of(
                            sst,
                            withoutFrames(sst.sum()),
                            table.indexes()
                                    .get(table.ordinal(sst.indexId()))
                                    .def()
                                    .name()))
                    .toList();
            new StagedManifest(
                            StagedManifest.VERSION,
                            UUID.randomUUID().toString(),
                            StagedManifest.ENCODER,
                            StagedManifest.COMPARATOR,
                            target,
                            sources,
                            described,
                            ChecksumBody.of(imported.stream()
                                    .map(sum -> new IndexChecksum(sum.index(), withoutFrames(sum.sum())))
                                    .toList()))
                    .write(directory);
            published = true;
        }

        private KvChecksum withoutFrames(KvChecksum sum) {
            return plain == null ? sum : plain.withoutFrames(sum);
        }

        @Override
        public void detach() {
            close();
        }

        @Override
        public ImportSession restart() {
            close();
            return new Session();
        }

        /**
         * Removes the SSTs, unless the set is published. A manifest that was put in place is never left without them.
         */
        @Override
        public synchronized void close() {
            if (published || StagedManifest.exists(directory)) {
                return;
            }
            try {
                for (SstFile sst : ssts) {
                    Files.deleteIfExists(sst.path());
                }
                ssts.clear();
            } catch (IOException e) {
                throw new OperationFailedException(directory + ": SSTs could not be removed: " + e.getMessage(), e);
            }
        }
    }
}
