package io.sluice.spark;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.DroppedRows;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.encode.SingleKvTarget;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.read.InputReader;
import io.sluice.importer.job.read.KvsOut;
import io.sluice.importer.job.read.MemoryPlan;
import io.sluice.importer.job.read.Reading;
import io.sluice.importer.job.verify.ContenderScan;
import io.sluice.importer.sort.ConflictKeys;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.schema.Table;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * The work of tasks that read files: a file is read from its start to its end by the readers of an import.
 *
 * @param format format of the files
 * @param compression compression of the files
 * @param charset name of their charset
 * @param s3 the object store of {@code s3://} addresses
 * @param mostRejects number of rejects of a file after which it is not read on
 */
record FileTask(
        TableRef table,
        InputFormat format,
        Encoding.Compression compression,
        String charset,
        S3Settings s3,
        long mostRejects)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    static final int SPLIT_BYTES = 256 << 10;

    private static final int SAMPLE_SPLIT_BYTES = 64 << 10;

    /** Most rows of a split in the sample. */
    private static final int SAMPLED_ROWS = 100;

    private static final long SEED = 1;
    /** Memory for rows with conflicting keys: 256 MiB, some 400,000 rows of a file. */
    private static final long CONTENDER_BYTES = 256L << 20;

    /**
     * The answer of a task; errors of the input are data, since Spark would repeat a task that throws.
     *
     * @param items what was found
     * @param failure problem of the input; null if there is none
     */
    record Answer<T extends Serializable>(
            List<T> items, @Nullable String failure) implements Serializable {
        private static final long serialVersionUID = 1L;

        /** The items; throws the problem. */
        List<T> get() {
            if (failure != null) {
                throw new BadInputException(failure);
            }
            return items;
        }
    }

    /**
     * A rejected or captured record.
     *
     * @param header header record of its file, or null
     * @param line line of the file
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Rejected(int file, byte @Nullable [] header, long line, Reject reject) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    private static <T extends Serializable> Answer<T> answer(List<T> items, Runnable work) {
        try {
            work.run();
            return new Answer<>(items, null);
        } catch (BadInputException e) {
            return new Answer<>(items, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Finds a file in the version that the driver has seen.
     *
     * @throws BadInputException if it is not there, or another one
     */
    InputFile open(FileRef file) {
        List<InputFile> found;
        try {
            found = InputFiles.resolve(
                    List.of(file.address()),
                    new SourceSettings(new Encoding(compression, Charset.forName(charset)), s3));
        } catch (BadInputException e) {
            throw new BadInputException(
                    e.getMessage() + "\nThe executor " + SparkEnv.get().executorId()
                            + " looked for it: all executors must see the files at the same paths, or name s3:// addresses",
                    e);
        }
        InputFile first = found.get(0);
        if (found.size() > 1 || !first.version().equals(file.version()) || first.sizeBytes() != file.sizeBytes()) {
            throw new BadInputException(
                    file.name()
                            + ": is not the file that the driver has seen; it changed, or executors see another one at this path");
        }
        return new InputFile(file.ordinal(), file.name(), first.origin(), first.sizeBytes(), first.encoding());
    }

    SplitSource source(InputFile file, int splitBytes) {
        return new SplitSource(
                List.of(file), format.framing(), format.reading(splitBytes, ImportSettings.MAX_RECORD_BYTES));
    }

    SplitDecoder decoder(Table of) {
        return format.decoder(of.def(), ImportSettings.MAX_RECORD_BYTES);
    }

    /**
     * {@link SampledKeys} of some of a file's rows: of a share of its splits, and of them from at most so many rows
     * each.
     */
    Answer<byte[]> sample(FileRef ref, double share) {
        List<byte[]> packed = new ArrayList<>();
        return answer(packed, () -> {
            SampledKeys keys = new SampledKeys();
            InputFile file = open(ref);
            Table of = table.table();
            SplitDecoder decoder = decoder(of);
            KvCopies copies = new KvCopies();
            RowEncoder encoder = new RowEncoder(of, file.ordinal(), Set.of(), copies.targets(of));
            List<Tuple2<byte[], byte[]>> kvs = copies.kvs();
            SplittableRandom random = new SplittableRandom(SEED + file.ordinal());
            Split split = new Split(SAMPLE_SPLIT_BYTES);
            int indexes = of.indexes().size();
            try (SplitSource source = source(file, SAMPLE_SPLIT_BYTES)) {
                while (source.next(split)) {
                    if (random.nextDouble() >= share) {
                        continue;
                    }
                    decoder.decode(split, (row, offset) -> encoder.encode(row, offset), reject -> {});
                    int rows = kvs.size() / indexes;
                    int step = rows / SAMPLED_ROWS + 1;
                    for (int i = 0; i < rows; i += step) {
                        int stands = Math.min(step, rows - i);
                        for (Tuple2<byte[], byte[]> kv : kvs.subList(i * indexes, (i + 1) * indexes)) {
                            keys.add(kv._1(), (long) stands * (kv._1().length + kv._2().length));
                        }
                    }
                    copies.clear();
                }
            }
            packed.add(keys.packed());
        });
    }

    /** The rows of a file that hold one of the keys in the primary or a unique index, in its order. */
    Answer<Contender> contenders(FileRef ref, List<byte[]> conflicts) {
        ConflictKeys keys = new ConflictKeys(Long.MAX_VALUE);
        conflicts.forEach(key -> keys.add(key, 0, key.length));
        List<Contender> found = new ArrayList<>();
        return answer(
                found,
                () -> scanned(
                        open(ref),
                        ConflictPolicy.ERROR,
                        DroppedRows.NONE,
                        (file, reading) ->
                                found.addAll(new ContenderScan(reading, List.of(file), keys, CONTENDER_BYTES).run())));
    }

    /** The rejected records of a file, and the captured ones among those that lost a conflict, in its order. */
    Answer<Rejected> rejects(FileRef ref, ConflictPolicy policy, List<Resolution.Drop> drops, long most) {
        List<Rejected> found = new ArrayList<>();
        RejectSink sink = (file, header, line, reject) -> {
            if (found.size() < most) {
                found.add(new Rejected(file.ordinal(), header, line, reject));
            }
        };
        RejectLog log = new RejectLog(RejectLimit.UNLIMITED, sink);
        return answer(
                found,
                () -> scanned(open(ref), policy, new DroppedRows(drops), (file, reading) -> {
                    log.startAt(file);
                    new InputReader(reading, List.of(file)).read(log, clock -> new Nowhere(table.table()));
                }));
    }

    /** A scan of a file with one thread. */
    private interface Scan {
        void run(InputFile file, Reading reading) throws InterruptedException;
    }

    private void scanned(InputFile file, ConflictPolicy policy, DroppedRows dropped, Scan scan) {
        Table of = table.table();
        ImportSettings settings = new ImportSettings(
                format,
                new ImportSettings.Resources(Path.of(""), ImportSettings.MIN_MEMORY_BYTES, 1, 0),
                new ImportSettings.Rejects(RejectLimit.UNLIMITED, null),
                ImportSettings.Mode.MERGE,
                policy,
                false,
                ImportSettings.Verification.SUMS,
                SstFormat.Writer.JAVA);
        MemoryPlan memory =
                MemoryPlan.of(ImportSettings.MIN_MEMORY_BYTES, 1, of.indexes().size() - 1, file.sizeBytes());
        try {
            scan.run(
                    file,
                    new Reading(of, () -> IndexEncoder.ofAll(of), settings, memory, new ImportProgress(), dropped));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException(file.name() + ": reading was interrupted", e);
        }
    }

    /** Forgets the KVs of rows, of which only the rejects are wanted. */
    private static final class Nowhere extends SingleKvTarget implements KvsOut {
        private final List<KvTarget> targets;

        Nowhere(Table table) {
            targets = Collections.nCopies(table.indexes().size(), this);
        }

        @Override
        public List<? extends KvTarget> targets() {
            return targets;
        }

        @Override
        protected void added(byte[] kv, int keyLength, int valueLength) {}
    }
}
