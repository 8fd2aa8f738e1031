package io.sluice.spark;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedBuild;
import io.sluice.importer.job.staged.StagedManifest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.Tuple2;
import scala.math.Ordering;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Builds a staged set from a DataFrame:
 *
 * <ol>
 *   <li>match the columns, and name all that do not fit
 *   <li>count the rows, sample some, and cut the keys into ranges of about equal bytes
 *   <li>encode all rows; sort their KVs by key within each range; write SSTs
 *   <li>compare what was read with what was written, per index
 *   <li>take the SSTs of the attempts that won into the set, write the manifest, and remove all others
 * </ol>
 *
 * <p>If a step fails, the place holds no set.
 */
final class StagedWrite {
    static final int MOST_PARTITIONS = 100_000;

    private static final long RANGE_BYTES = 128L << 20;
    /** Enough for ranges within a few percent of each other; the driver holds their keys. */
    private static final int SAMPLED_ROWS = 100_000;

    private static final long SEED = 1;
    private static final int PROBLEMS_SHOWN = 10;

    private final String ddl;
    private final List<TableDef> tables;
    private final TableDef def;
    private final SetPlace place;
    private final int partitions;

    /**
     * Creates a write.
     *
     * @param ddl DDL of the table and of those declared with it
     * @param place place of the set
     * @param partitions most key ranges; 0: by the bytes of the sample
     */
    StagedWrite(String ddl, List<TableDef> tables, TableDef def, SetPlace place, int partitions) {
        this.ddl = ddl;
        this.tables = tables;
        this.def = def;
        this.place = place;
        this.partitions = partitions;
    }

    /** Whether the place holds a finished set. */
    boolean isComplete() {
        return StagedManifest.exists(place);
    }

    /** Name of the table. */
    String table() {
        return def.name();
    }

    /**
     * The finished set.
     *
     * @throws BadInputException if it is not one of this table
     */
    StagedSet set() {
        StagedSet set = StagedSet.open(place).forIngest();
        if (!set.manifest().target().equals(StagedManifest.Target.ofTable(ddl, tables, def))) {
            throw new BadInputException(
                    place + ": holds a staged set of another schema; name another place, or remove this one");
        }
        return set;
    }

    /**
     * Builds the set.
     *
     * @throws BadInputException if the place is in use or holds something, the DataFrame does not fit the table, or
     *     rows are bad or conflict
     * @return a line for each key range that is much larger than the others
     * @throws OperationFailedException if the sums of what was read and written differ
     */
    List<String> run(Dataset<Row> data) {
        Table table = Table.inNewStore(tables, def);
        for (Index index : table.indexes()) {
            if (!index.ancestors().isEmpty()) {
                throw new BadInputException("table " + table.name() + " is interleaved in another one, which the Spark"
                        + " data source does not support; use sluice build");
            }
        }
        CellColumns cells = CellColumns.of(data, def);
        if (isComplete()) {
            throw new BadInputException(place + ": holds a staged set; mode ignore keeps it, or name another place");
        }
        StagedManifest.Target target = StagedManifest.Target.ofTable(ddl, tables, def);
        try (StagedBuild build = StagedBuild.open(place, target, "Spark DataFrame", ConflictPolicy.ERROR, List.of())) {
            Job job = new Job(ddl, def.name(), cells, UUID.randomUUID().toString(), build.share());
            List<TaskResults.Written> written = job.run(data, partitions);
            publish(build, table, written);
            return TaskResults.skew(written);
        }
    }

    private void publish(StagedBuild build, Table table, List<TaskResults.Written> written) {
        Map<Integer, TaskResults.Read> read = new HashMap<>();
        written.forEach(task -> task.read().forEach(part -> read.put(part.partition(), part)));
        refuseBadRows(read.values());
        refuseConflicts(written);
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
                for (TaskResults.Read part : read.values()) {
                    in = in.plus(part.sums().get(i).checksum());
                }
                if (!in.equals(out)) {
                    throw new OperationFailedException("table " + table.name() + ", index "
                            + present.get(i).index() + ": " + in.count() + " KVs with checksum " + in.digest()
                            + " were encoded, and " + out.count() + " with " + out.digest()
                            + " written. Nothing is left of the set; write it again");
                }
            }
            session.publish(present);
        }
    }

    private static void refuseBadRows(Iterable<TaskResults.Read> read) {
        long bad = 0;
        List<String> problems = new ArrayList<>();
        for (TaskResults.Read part : read) {
            bad += part.bad();
            problems.addAll(part.problems());
        }
        if (bad > 0) {
            throw new BadInputException(bad + (bad == 1 ? " row is" : " rows are") + " no rows of the table:\n"
                    + String.join("\n", problems.subList(0, Math.min(PROBLEMS_SHOWN, problems.size())))
                    + "\nNothing was written. Correct or filter them in the DataFrame");
        }
    }

    private static void refuseConflicts(List<TaskResults.Written> written) {
        long conflicts =
                written.stream().mapToLong(TaskResults.Written::conflicts).sum();
        if (conflicts > 0) {
            List<String> examples = written.stream()
                    .flatMap(task -> task.examples().stream())
                    .limit(PROBLEMS_SHOWN)
                    .toList();
            throw new BadInputException(conflicts + " keys are in several rows with other values:\n"
                    + String.join("\n", examples)
                    + "\nNothing was written. Rows of a DataFrame have no order, so no policy can choose: keep one row of"
                    + " each key in the DataFrame");
        }
    }

    /**
     * The work on the executors.
     *
     * @param ddl DDL of the schema; executors parse it again
     * @param name name of the table
     * @param id id of the run
     * @param share takes the SSTs of attempts
     */
    private record Job(String ddl, String name, CellColumns cells, String id, SetPlace.Share share)
            implements Serializable {
        Table table() {
            List<TableDef> tables = Ddl.parse(ddl, "the schema");
            return Table.inNewStore(tables, Ddl.select(tables, name, "the schema"));
        }

        List<TaskResults.Written> run(Dataset<Row> data, int partitions) {
            double fraction = Math.min(1, SAMPLED_ROWS / (data.count() + 1.0));
            List<Tuple2<byte[], Long>> sample = rows(data.sample(false, fraction, SEED))
                    .mapPartitionsWithIndex(this::keys, false)
                    .collect();
            long bytes = (long) (sample.stream().mapToLong(Tuple2::_2).sum() / fraction);
            JavaRDD<InternalRow> rows = rows(data);
            int ranges = partitions > 0
                    ? partitions
                    : (int) Math.min(MOST_PARTITIONS, Math.max(least(rows), bytes / RANGE_BYTES + 1));
            RDD<Tuple2<byte[], byte[]>> kvs =
                    rows.mapPartitionsWithIndex(this::encode, false).rdd();
            ClassTag<byte[]> tag = ClassTag$.MODULE$.apply(byte[].class);
            ShuffledRDD<byte[], byte[], byte[]> sorted =
                    new ShuffledRDD<>(kvs, KeyRanges.of(sample, ranges), tag, tag, tag);
            sorted.setKeyOrdering(Ordering.comparatorToOrdering(new KeyOrder()));
            sorted.setSerializer(new KryoSerializer(kvs.conf()));
            ClassTag<Tuple2<byte[], byte[]>> pairs = ClassTag$.MODULE$.apply(Tuple2.class);
            return new JavaRDD<>(sorted, pairs)
                    .mapPartitionsWithIndex(this::write, true)
                    .collect();
        }

        /** A range for each core, or for each partition of the input if these are fewer: more would be tiny SSTs. */
        private static long least(JavaRDD<InternalRow> rows) {
            return Math.min(rows.getNumPartitions(), rows.context().defaultParallelism());
        }

        private static JavaRDD<InternalRow> rows(Dataset<Row> data) {
            return CellColumns.texts(data).queryExecution().toRdd().toJavaRDD();
        }

        /** The keys of sampled rows, each with the length of its KV. */
        private Iterator<Tuple2<byte[], Long>> keys(int partition, Iterator<InternalRow> rows) {
            RowEncoder encoder = new RowEncoder(table(), cells, partition);
            List<Tuple2<byte[], Long>> keys = new ArrayList<>();
            while (rows.hasNext()) {
                List<Tuple2<byte[], byte[]>> kvs = encoder.encode(rows.next());
                if (kvs != null) {
                    kvs.forEach(kv -> keys.add(new Tuple2<>(kv._1(), (long) kv._1().length + kv._2().length)));
                }
            }
            return keys.iterator();
        }

        private Iterator<Tuple2<byte[], byte[]>> encode(int partition, Iterator<InternalRow> rows) {
            return new Kvs(new RowEncoder(table(), cells, partition), partition, rows);
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
                return List.of(new SstTask(table(), id + '/' + partition + '/' + attempt, share, directory).write(kvs))
                        .iterator();
            } finally {
                if (directory.startsWith(local)) {
                    DurableFiles.deleteTree(directory);
                }
            }
        }
    }

    /** The order of keys. */
    private static final class KeyOrder implements Comparator<byte[]>, Serializable {
        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }
    }

    /** The KVs of a partition's rows, and after them a record with an empty key that says what the partition held. */
    private static final class Kvs implements Iterator<Tuple2<byte[], byte[]>> {
        private final RowEncoder encoder;
        private final int partition;
        private final Iterator<InternalRow> rows;
        private final List<String> problems = new ArrayList<>();
        private Iterator<Tuple2<byte[], byte[]>> next = Collections.emptyIterator();
        private long bad;
        private boolean ended;

        Kvs(RowEncoder encoder, int partition, Iterator<InternalRow> rows) {
            this.encoder = encoder;
            this.partition = partition;
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            while (!next.hasNext() && rows.hasNext()) {
                List<Tuple2<byte[], byte[]>> kvs = encoder.encode(rows.next());
                next = kvs == null ? Collections.emptyIterator() : kvs.iterator();
                if (kvs == null) {
                    bad++;
                    if (problems.size() < PROBLEMS_SHOWN) {
                        problems.add(encoder.problem());
                    }
                }
            }
            return next.hasNext() || !ended;
        }

        @Override
        public Tuple2<byte[], byte[]> next() {
            if (hasNext() && next.hasNext()) {
                return next.next();
            }
            ended = true;
            List<TaskResults.Sum> sums = new ArrayList<>();
            for (int i = 0; i < encoder.indexes(); i++) {
                sums.add(TaskResults.Sum.of(encoder.sum(i)));
            }
            return new Tuple2<>(
                    new byte[0], new TaskResults.Read(partition, encoder.rows(), bad, problems, sums).toBytes());
        }
    }
}
