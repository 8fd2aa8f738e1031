package io.sluice.spark;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.job.staged.ManifestFile;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedBuild;
import io.sluice.importer.job.staged.StagedManifest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.PartitionPruningRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import scala.Function1;
import scala.Tuple2;
import scala.math.Ordering;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Builds a staged set from rows that tasks read:
 *
 * <ol>
 *   <li>sample keys, and cut them into ranges of about equal bytes
 *   <li>encode all rows; sort their KVs by key within each range; write SSTs
 *   <li>if rows have equal keys, choose those that lose by the policy, and repeat step 2 without them
 *   <li>keep the bad rows, if the input is files
 *   <li>compare what was read with what was written, per index
 *   <li>take the SSTs of the attempts that won into the set, write the manifest, and remove all others
 * </ol>
 *
 * <p>If a step fails, the place holds no set.
 */
final class StagedWrite {
    static final int MOST_PARTITIONS = 100_000;

    private static final long RANGE_BYTES = 128L << 20;

    /** Most keys in conflict that a policy resolves: the driver holds them and their rows, some 500 MB. */
    private static final long MOST_CONFLICTS = 1_000_000;

    private static final int CONFLICTS_SHOWN = 10;

    /**
     * Setting of Spark: most partitions for which a task writes a file each, and then copies all into one. With more,
     * it keeps its records in memory, spills them if it has too little, and writes them once.
     */
    private static final String BYPASS = "spark.shuffle.sort.bypassMergeThreshold";

    private static final int BYPASS_DEFAULT = 200;

    private final TableRef ref;
    private final List<TableDef> tables;
    private final TableDef def;
    private final SetPlace place;
    private final int partitions;
    private final ConflictPolicy policy;

    /**
     * The outcome of a write.
     *
     * @param rows number of rows in the set, apart from equal ones
     * @param bad number of bad rows
     * @param dropped number of rows that lost a conflict
     * @param skew a line for each key range that is much larger than the others
     */
    record Result(long rows, long bad, long dropped, List<String> skew) {}

    /**
     * Creates a write.
     *
     * @param ddl DDL of the table and of those declared with it
     * @param place place of the set
     * @param partitions most key ranges; 0: by the bytes of the sample
     * @param policy policy for rows with equal keys
     */
    StagedWrite(
            String ddl, List<TableDef> tables, TableDef def, SetPlace place, int partitions, ConflictPolicy policy) {
        if (def.families() > 1) {
            throw new BadInputException("table " + def.name() + " has " + def.families() + " column families, which a"
                    + " build in Spark does not write; build the set with 'sluice build', or take the FAMILY clauses"
                    + " out of the schema");
        }
        ref = new TableRef(ddl, def.name());
        this.tables = tables;
        this.def = def;
        this.place = place;
        this.partitions = partitions;
        this.policy = policy;
    }

    /** Whether the place holds a finished set. */
    boolean isComplete() {
        return ManifestFile.exists(place);
    }

    /** Name of the table. */
    String table() {
        return def.name();
    }

    private StagedManifest.Target target() {
        return StagedManifest.Target.ofTable(ref.ddl(), tables, def);
    }

    /**
     * The finished set.
     *
     * @throws BadInputException if it is not one of this table
     */
    StagedSet set() {
        StagedSet set = StagedSet.open(place).forIngest();
        if (!set.manifest().target().equals(target())) {
            throw new BadInputException(
                    place + ": holds a staged set of another schema; name another place, or remove this one");
        }
        return set;
    }

    /**
     * Claims the place for a build from files.
     *
     * @param format description of the files' format
     * @param limit most rejects
     * @throws BadInputException if the place is in use or holds something else
     */
    StagedBuild open(String format, RejectLimit limit, List<InputFile> files) {
        refuseInterleaved();
        return StagedBuild.open(place, target(), format, policy, limit, files);
    }

    /**
     * Builds the set from a DataFrame.
     *
     * @throws BadInputException if the place is in use or holds something, the DataFrame does not fit the table, or
     *     rows are bad or conflict
     * @throws OperationFailedException if the sums of what was read and written differ
     */
    Result run(Dataset<Row> data) {
        refuseInterleaved();
        CellColumns cells = CellColumns.of(data, def);
        if (isComplete()) {
            StagedSet unused = set();
            throw new BadInputException(place + ": holds a staged set; mode ignore keeps it, or name another place");
        }
        try (StagedBuild build =
                StagedBuild.open(place, target(), "Spark DataFrame", policy, RejectLimit.NONE, List.of())) {
            return run(
                    JavaSparkContext.fromSparkContext(data.sparkSession().sparkContext()),
                    new FrameRows(data, ref, cells),
                    build);
        }
    }

    private void refuseInterleaved() {
        for (Index index : Table.inNewStore(tables, def).indexes()) {
            if (!index.ancestors().isEmpty()) {
                throw new BadInputException(
                        "table " + def.name() + " is interleaved in another one, which sets built by"
                                + " Spark do not support; use sluice build");
            }
        }
    }

    /**
     * Builds the set.
     *
     * @throws BadInputException if there are more bad rows than allowed, or rows conflict
     * @throws OperationFailedException if the sums of what was read and written differ
     */
    Result run(JavaSparkContext spark, SourceRows rows, StagedBuild build) {
        SourceRows.Sample sample = rows.sample();
        int ranges = partitions > 0
                ? partitions
                : (int) Math.min(MOST_PARTITIONS, Math.max(rows.tasks(), sample.bytes() / RANGE_BYTES + 1));
        KeyRanges bounds = KeyRanges.of(sample.keys(), ranges, spark.getConf().getInt(BYPASS, BYPASS_DEFAULT) + 1);
        List<TaskResults.Written> written = write(spark, rows, build, bounds, new HashSet<>());
        rows.check(read(written));
        List<Resolution.Drop> drops = List.of();
        if (conflicts(written) > 0) {
            drops = resolve(rows, written);
            Set<Fingerprint> losers = new HashSet<>();
            drops.forEach(drop -> losers.add(drop.loser().identity()));
            written = write(spark, rows, build, bounds, losers);
            rows.check(read(written));
            ensureResolved(written, drops.size());
        }
        List<TaskResults.Read> read = read(written);
        rows.keepRejects(read, drops);
        long bad = read.stream().mapToLong(TaskResults.Read::bad).sum();
        long rejected = bad + (policy == ConflictPolicy.CAPTURE ? drops.size() : 0);
        build.countRejected(() -> rejected);
        publish(build, written);
        return new Result(
                read.stream().mapToLong(TaskResults.Read::rows).sum(), bad, drops.size(), TaskResults.skew(written));
    }

    private List<TaskResults.Written> write(
            JavaSparkContext spark, SourceRows rows, StagedBuild build, KeyRanges bounds, Set<Fingerprint> losers) {
        Broadcast<Set<Fingerprint>> leftOut = spark.broadcast(losers);
        try {
            return new Job(ref, UUID.randomUUID().toString(), build.share()).run(rows.kvs(leftOut, bounds), bounds);
        } finally {
            leftOut.destroy();
        }
    }

    /** The reports on all parts of the input, in order. */
    private static List<TaskResults.Read> read(List<TaskResults.Written> written) {
        Map<Integer, TaskResults.Read> read = new TreeMap<>();
        written.forEach(task -> task.read().forEach(part -> read.put(part.partition(), part)));
        return List.copyOf(read.values());
    }

    private static long conflicts(List<TaskResults.Written> written) {
        return written.stream().mapToLong(TaskResults.Written::conflicts).sum();
    }

    /**
     * Chooses the rows that lose.
     *
     * @throws BadInputException if the policy is {@code error}, or there are too many
     */
    private List<Resolution.Drop> resolve(SourceRows rows, List<TaskResults.Written> written) {
        List<byte[]> keys =
                written.stream().flatMap(task -> task.conflictKeys().stream()).toList();
        if (policy == ConflictPolicy.ERROR) {
            throw refusal(
                    rows, conflicts(written), List.copyOf(keys.subList(0, Math.min(CONFLICTS_SHOWN, keys.size()))));
        }
        if (keys.size() > MOST_CONFLICTS
                || written.stream().anyMatch(task -> task.conflictKeys().size() == SstTask.MOST_CONFLICT_KEYS)) {
            throw new BadInputException("at least " + keys.size() + " keys are in several rows with other values, too"
                    + " many to choose between; is the key the right one? Nothing was written");
        }
        return Resolution.of(rows.contenders(keys), Map.of(), policy).drops();
    }

    private BadInputException refusal(SourceRows rows, long conflicts, List<byte[]> keys) {
        List<Contender> contenders = rows.contenders(keys);
        Table table = ref.table();
        IndexKeys spans = new IndexKeys(table);
        StringBuilder message = new StringBuilder("rows have equal keys and other values, " + conflicts + " times:");
        for (byte[] key : keys) {
            Fingerprint print = Fingerprint.of(key, 0, key.length);
            for (int i = 0; i < table.indexes().size(); i++) {
                if (spans.span(i).contains(key)) {
                    message.append("\nindex ")
                            .append(table.indexes().get(i).def().name());
                }
            }
            message.append(", key ").append(HexFormat.of().formatHex(key));
            contenders.stream()
                    .filter(row ->
                            row.keys().stream().anyMatch(held -> held.keyPrint().equals(print)))
                    .limit(CONFLICTS_SHOWN)
                    .forEach(row -> message.append("\n    ").append(rows.describe(row.place())));
        }
        return new BadInputException(message + "\nNothing was written. " + rows.onConflictAdvice());
    }

    private static void ensureResolved(List<TaskResults.Written> written, int drops) {
        long dropped =
                read(written).stream().mapToLong(TaskResults.Read::dropped).sum();
        if (conflicts(written) > 0 || dropped != drops) {
            throw new OperationFailedException("rows have equal keys although those that lost were left out: the input"
                    + " gives other rows each time it is read. Nothing was written; write again");
        }
    }

    private void publish(StagedBuild build, List<TaskResults.Written> written) {
        List<TaskResults.Read> read = read(written);
        try (ImportSession session = build.beginImport(ImportRequest.of(def, IngestTiming.AT_END))) {
            for (TaskResults.Written task : written) {
                task.ssts().forEach(sst -> session.ship(sst.toFile(), 0));
            }
            session.finalizeIngest();
            List<IndexChecksum> present = session.present();
            for (int i = 0; i < present.size(); i++) {
                KvChecksum out = present.get(i).sum();
                for (TaskResults.Written task : written) {
                    out = out.plus(task.repeated().get(i).checksum());
                }
                KvChecksum in = KvChecksum.EMPTY;
                for (TaskResults.Read part : read) {
                    in = in.plus(part.sums().get(i).checksum());
                }
                if (!in.equals(out)) {
                    throw new OperationFailedException("table " + def.name() + ", index "
                            + present.get(i).index() + ": " + in.count() + " KVs with checksum " + in.digest()
                            + " were encoded, and " + out.count() + " with " + out.digest()
                            + " written. Nothing is left of the set; write it again");
                }
            }
            session.publish(present);
        }
    }

    /**
     * The work on the executors.
     *
     * @param id id of the run
     * @param share takes the SSTs of attempts
     */
    private record Job(TableRef table, String id, SetPlace.Share share) implements Serializable {
        private static final long serialVersionUID = 1L;

        List<TaskResults.Written> run(JavaRDD<Tuple2<byte[], byte[]>> read, KeyRanges bounds) {
            RDD<Tuple2<byte[], byte[]>> kvs = read.rdd();
            ClassTag<byte[]> tag = ClassTag$.MODULE$.apply(byte[].class);
            ShuffledRDD<byte[], byte[], byte[]> sorted = new ShuffledRDD<>(kvs, bounds, tag, tag, tag);
            sorted.setKeyOrdering(Ordering.comparatorToOrdering(new KeyOrder()));
            sorted.setSerializer(new BlockSerializer());
            ClassTag<Tuple2<byte[], byte[]>> pairs = ClassTag$.MODULE$.apply(Tuple2.class);
            int last = bounds.ofInput();
            // The partitions after the last one are empty, and cost no task.
            Function1<Object, Object> used =
                    (Function1<Object, Object> & Serializable) partition -> (int) partition <= last;
            return new JavaRDD<>(PartitionPruningRDD.create(sorted, used), pairs)
                    .mapPartitionsWithIndex(this::write, true)
                    .collect();
        }

        private Iterator<TaskResults.Written> write(int partition, Iterator<Tuple2<byte[], byte[]>> kvs)
                throws Exception {
            String attempt = "attempt-" + TaskContext.get().taskAttemptId();
            Path local = SparkEnv.get()
                    .blockManager()
                    .diskBlockManager()
                    .localDirs()[0]
                    .toPath();
            Path directory = share.directory(attempt, local);
            try {
                String name = id + '/' + partition + '/' + attempt;
                return List.of(new SstTask(table.table(), name, share, directory).write(kvs))
                        .iterator();
            } finally {
                if (directory.startsWith(local)) {
                    DurableFiles.deleteTree(directory);
                }
            }
        }
    }

    private static final class KeyOrder implements Comparator<byte[]>, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }
    }
}
