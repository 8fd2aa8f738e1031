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
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.sort.RunCursor;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.sst.PlainSst;
import io.sluice.importer.sst.SstFormat;
import io.sluice.importer.sst.SstRun;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.plain.PlainKvs;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A directory or an object store in the place of a storage node: an import in mode merge leaves its SSTs there, and the
 * publication writes the manifest. So a build has the steps, the memory budget, the rejects and the conflict policies
 * of an import.
 *
 * <p>A place without a manifest holds remains of a build that did not finish; the next build removes them. Thread-safe
 * as far as {@link ImportSession} demands.
 */
public final class StagedBuild implements ImportTarget {
    private final SetPlace place;
    private final SetPlace.Claim claim;
    private final StagedManifest.Target target;
    private final StagedManifest.Sources sources;
    private final Table table;
    private final @Nullable PlainKvs plain;
    private final boolean complete;
    private LongSupplier rejected = () -> 0;
    private int replicas;
    private boolean shared;

    private StagedBuild(
            SetPlace place,
            SetPlace.Claim claim,
            StagedManifest.Target target,
            StagedManifest.Sources sources,
            boolean complete) {
        this.place = place;
        this.claim = claim;
        this.target = target;
        this.sources = sources;
        this.complete = complete;
        table = target.bound();
        plain = target.plain();
    }

    /**
     * Claims a place for a build; creates a directory if there is none, and removes what an unfinished build has left.
     *
     * @param target the table and the form of its KVs
     * @param format description of the inputs' format
     * @param limit most rejects
     * @throws BadInputException if another process builds there, or the place holds another set or other files
     */
    public static StagedBuild open(
            SetPlace place,
            StagedManifest.Target target,
            String format,
            ConflictPolicy onConflict,
            RejectLimit limit,
            List<InputFile> inputs) {
        return open(
                place,
                target,
                StagedManifest.Sources.of(format, onConflict, limit, inputs),
                inputs.stream().allMatch(InputFile::repeatable));
    }

    /**
     * As the other method, of any sources.
     *
     * @param repeatable whether equal sources have equal rows
     */
    static StagedBuild open(
            SetPlace place, StagedManifest.Target target, StagedManifest.Sources sources, boolean repeatable) {
        SetPlace.Claim claim = null;
        try {
            claim = place.claim();
            boolean complete = ManifestFile.exists(place);
            if (complete && !ManifestFile.read(place).sameWork(target, sources)) {
                throw new BadInputException(
                        place
                                + ": holds a staged set of other inputs, options or rows; name another directory, or remove this one");
            }
            if (complete && !repeatable) {
                throw new BadInputException(place + ": holds a finished set, and an input that can be read only once"
                        + " cannot be compared with its inputs; name another directory, or ingest this set");
            }
            if (!complete) {
                claim.begin();
            }
            return new StagedBuild(place, claim, target, sources, complete);
        } catch (IOException e) {
            giveUp(claim, e);
            throw Reasons.ofPlace(
                    place + ": no set can be built there: " + Reasons.ofFile(Path.of(place.toString()), e), e);
        } catch (RuntimeException e) {
            giveUp(claim, e);
            throw e;
        }
    }

    private static void giveUp(SetPlace.@Nullable Claim claim, Exception failure) {
        try {
            if (claim != null) {
                claim.close();
            }
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Whether the place holds the finished set of the same inputs and options: nothing is left to build. */
    public boolean isComplete() {
        return complete;
    }

    /**
     * Sets the counter of the records that were rejected or captured, for the manifest. The publication reads it.
     *
     * @param counter counts the records of all inputs
     */
    public void countRejected(LongSupplier counter) {
        rejected = counter;
    }

    /** Sets the number of nodes that each key range of the table is on, for the manifest. */
    void replicated(int nodes) {
        replicas = nodes;
    }

    /** Directory for temporary files: on the disk of the set, or the system's. Closing removes it. */
    public Path workDirectory() {
        return claim.workDirectory();
    }

    /**
     * Lets other processes write SSTs. From then on, those that are shipped are SSTs that a share has put.
     *
     * @throws IllegalStateException if the set has plain KVs, since these are written here
     */
    public SetPlace.Share share() {
        if (plain != null) {
            throw new IllegalStateException("SSTs of plain KVs are written by the build itself");
        }
        shared = true;
        return claim.share();
    }

    /** The finished set. */
    public StagedSet set() {
        return StagedSet.open(place);
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
            claim.close();
        } catch (IOException e) {
            throw new OperationFailedException(place + ": temporary files could not be removed: " + e.getMessage(), e);
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
            SstFile staged;
            try {
                staged = shared ? claim.putShared(sst) : claim.put(plain == null ? sst : rewritten(sst, plain));
            } catch (IOException e) {
                throw new OperationFailedException(
                        "SST " + sst.id() + " could not be put into the set " + place + ": " + e.getMessage(), e);
            }
            synchronized (this) {
                ssts.add(staged);
            }
            return new ShipAnswer.Taken();
        }

        private SstFile rewritten(SstFile sst, PlainKvs form) throws IOException {
            try (SstFormat format = new SstFormat()) {
                SstFile written = PlainSst.write(sst, form, claim.workDirectory(), format);
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
                    throw new OperationFailedException(before.bytes() + " and "
                            + ssts.get(i).bytes() + " overlap. This is a defect of Sluice; please report it");
                }
            }
            long bytes = ssts.stream().mapToLong(SstFile::fileBytes).sum();
            return new IngestReport(ssts.size(), 0, 1, 0, bytes, 0, 0);
        }

        @Override
        public synchronized List<IndexChecksum> present() {
            return SstFile.sums(table, ssts);
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
            Path copy = claim.workDirectory().resolve(sst.id() + ".read");
            try {
                if (sst.bytes() instanceof SstBytes.InStore stored) {
                    stored.object().copyTo(copy);
                    readLocal(sst.at(copy), span, sum);
                    Files.delete(copy);
                } else {
                    readLocal(sst, span, sum);
                }
            } catch (IOException e) {
                throw new OperationFailedException(sst.bytes() + ": " + e.getMessage(), e);
            }
        }

        private void readLocal(SstFile sst, KeySpan span, KvChecksum.Accumulator sum) throws IOException {
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
            StagedManifest manifest = new StagedManifest(
                    StagedManifest.VERSION,
                    UUID.randomUUID().toString(),
                    StagedManifest.encoderOf(table.def()),
                    StagedManifest.COMPARATOR,
                    target,
                    sources,
                    described,
                    ChecksumBody.of(imported.stream()
                            .map(sum -> new IndexChecksum(sum.index(), withoutFrames(sum.sum())))
                            .toList()),
                    rejected.getAsLong(),
                    replicas);
            try {
                claim.publish(ManifestFile.toBytes(manifest), ssts);
            } catch (IOException e) {
                throw new OperationFailedException(place + ": the manifest could not be written: " + e.getMessage(), e);
            }
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

        /** Removes the SSTs, unless the set is published. */
        @Override
        public synchronized void close() {
            if (published) {
                return;
            }
            try {
                claim.remove(ssts);
                ssts.clear();
            } catch (IOException e) {
                throw new OperationFailedException(place + ": SSTs could not be removed: " + e.getMessage(), e);
            }
        }
    }
}
