package io.sluice.spark;

import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Place;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.sort.ConflictKeys;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** The rows of a DataFrame, in the order in which {@code collect} returns them. No row may be bad. */
final class FrameRows implements SourceRows {
    static final int PROBLEMS_SHOWN = 10;

    /**
     * Most tasks that read the DataFrame: more partitions share tasks. Each task costs the driver milliseconds, and
     * each pair of one that reads and one that writes SSTs a bit of memory.
     */
    static final int MOST_TASKS = 10_000;

    /** Enough for ranges within a few percent of each other; the driver holds their keys. */
    private static final int SAMPLED_ROWS = 100_000;

    private static final long SEED = 1;

    private final Dataset<Row> data;
    private final JavaRDD<?> converted;
    private final Task task;

    FrameRows(Dataset<Row> whole, TableRef table, CellColumns cells) {
        JavaRDD<?> rows = converted(whole, cells);
        data = rows.getNumPartitions() > MOST_TASKS ? whole.coalesce(MOST_TASKS) : whole;
        converted = rows.getNumPartitions() > MOST_TASKS ? converted(data, cells) : rows;
        task = new Task(table, cells);
    }

    /** The rows with their cells in their forms, one by one or in batches. */
    private static JavaRDD<?> converted(Dataset<Row> data, CellColumns cells) {
        SparkPlan batches = batches(data, cells);
        return batches == null
                ? rows(cells.convert(data))
                : batches.executeColumnar().toJavaRDD();
    }

    /** The plan of a DataFrame that is a scan in batches, and no cell needs a conversion; null of others. */
    static @Nullable SparkPlan batches(Dataset<Row> data, CellColumns cells) {
        if (!cells.areIn(data)) {
            return null;
        }
        SparkPlan plan = data.queryExecution().executedPlan();
        SparkPlan inStage = plan instanceof WholeStageCodegenExec stage ? stage.child() : plan;
        return inStage instanceof ColumnarToRowExec rows ? rows.child() : null;
    }

    private static JavaRDD<InternalRow> rows(Dataset<Row> data) {
        return data.queryExecution().toRdd().toJavaRDD();
    }

    @Override
    public Sample sample() {
        double fraction = Math.min(1, SAMPLED_ROWS / (data.count() + 1.0));
        List<Tuple2<byte[], Long>> keys = new ArrayList<>();
        TableDef def = task.table().table().def();
        int[] read = task.cells().sampled(def);
        long others = task.cells().unsampledLength(def);
        Task sampling = new Task(task.table(), task.cells().only(read));
        Dataset<Row> sampled = CellColumns.only(read, data).sample(false, fraction, SEED);
        rows(sampling.cells().convert(sampled))
                .mapPartitionsWithIndex((partition, rows) -> sampling.keys(partition, rows, others), false)
                .collect()
                .forEach(packed -> SampledKeys.unpack(packed, keys));
        return new Sample(keys, (long) (keys.stream().mapToLong(Tuple2::_2).sum() / fraction));
    }

    @Override
    public long tasks() {
        return Math.min(converted.getNumPartitions(), converted.context().defaultParallelism());
    }

    @Override
    public JavaRDD<Tuple2<byte[], byte[]>> kvs(Broadcast<Set<Fingerprint>> losers, KeyRanges ranges) {
        Task work = task;
        return converted.mapPartitionsWithIndex(
                (partition, rows) -> new Kvs(work, partition, losers.value(), ranges, rows), false);
    }

    @Override
    public List<Contender> contenders(List<byte[]> keys) {
        Task work = task;
        return converted
                .mapPartitionsWithIndex((partition, rows) -> work.contenders(partition, rows, keys), false)
                .collect();
    }

    @Override
    public void check(List<TaskResults.Read> read) {
        long bad = read.stream().mapToLong(TaskResults.Read::bad).sum();
        if (bad > 0) {
            List<String> problems = read.stream()
                    .flatMap(part -> part.problems().stream())
                    .limit(PROBLEMS_SHOWN)
                    .toList();
            throw new BadInputException(bad + (bad == 1 ? " row is" : " rows are") + " no rows of the table:\n"
                    + String.join("\n", problems) + "\nNothing was written. Correct or filter them in the DataFrame");
        }
    }

    @Override
    public void keepRejects(List<TaskResults.Read> read, List<Resolution.Drop> drops) {
        // There are no bad rows, and no rows are captured.
    }

    @Override
    public String describe(Place place) {
        return place.name() + ", row " + place.line();
    }

    @Override
    public String onConflictAdvice() {
        return "Keep one row of each key in the DataFrame, or order its rows and let option on-conflict first or last"
                + " choose";
    }

    /** The work of the tasks. */
    private record Task(TableRef table, CellColumns cells) implements Serializable {
        private static final long serialVersionUID = 1L;

        /**
         * The {@link SampledKeys} of sampled rows, each with the length of its KV.
         *
         * @param others bytes of the columns of a row that are not read
         */
        Iterator<byte[]> keys(int partition, Iterator<?> rows, long others) {
            CellReader reader = new CellReader(table.table(), cells, rows);
            Table of = table.table();
            KvCopies copies = new KvCopies();
            RowEncoder encoder = new RowEncoder(of, partition, Set.of(), copies.targets(of));
            SampledKeys keys = new SampledKeys();
            while (reader.hasNext()) {
                if (reader.next() == null) {
                    encoder.encode(reader.row(), 0);
                    long bytes = others;
                    for (Tuple2<byte[], byte[]> kv : copies.kvs()) {
                        keys.add(kv._1(), bytes + kv._1().length + kv._2().length);
                        bytes = 0;
                    }
                    copies.clear();
                }
            }
            return List.of(keys.packed()).iterator();
        }

        Iterator<Contender> contenders(int partition, Iterator<?> rows, List<byte[]> conflicts) {
            ConflictKeys keys = new ConflictKeys(Long.MAX_VALUE);
            conflicts.forEach(key -> keys.add(key, 0, key.length));
            CellReader reader = new CellReader(table.table(), cells, rows);
            Table of = table.table();
            KvCopies copies = new KvCopies();
            RowEncoder encoder = new RowEncoder(of, partition, Set.of(), copies.targets(of));
            List<Contender> found = new ArrayList<>();
            while (reader.hasNext()) {
                if (reader.next() == null) {
                    long position = encoder.rows();
                    encoder.encode(reader.row(), position);
                    Contender contender = encoder.contender(
                            copies.kvs(),
                            keys,
                            new Place(partition, "partition " + partition, Reject.Unit.ROW, position + 1, position));
                    copies.clear();
                    if (contender != null) {
                        found.add(contender);
                    }
                }
            }
            return found.iterator();
        }
    }

    /**
     * The KVs of a partition's rows in blocks, and after them a record with an empty key that says what the partition
     * held.
     */
    private static final class Kvs implements Iterator<Tuple2<byte[], byte[]>> {
        private final CellReader reader;
        private final RowEncoder encoder;
        private final List<String> problems = new ArrayList<>();
        private final BlockWriter blocks;
        private long position;
        private long bad;
        private boolean ended;

        Kvs(Task task, int partition, Set<Fingerprint> losers, KeyRanges ranges, Iterator<?> rows) {
            Table table = task.table().table();
            reader = new CellReader(table, task.cells(), rows);
            blocks = new BlockWriter(table, ranges);
            encoder = new RowEncoder(table, partition, losers, blocks.targets());
        }

        @Override
        public boolean hasNext() {
            while (blocks.isEmpty() && reader.hasNext()) {
                String problem = reader.next();
                if (problem == null) {
                    encoder.encode(reader.row(), position++);
                } else {
                    bad++;
                    if (problems.size() < PROBLEMS_SHOWN) {
                        problems.add(problem);
                    }
                }
            }
            if (blocks.isEmpty()) {
                blocks.flush();
            }
            return !blocks.isEmpty() || !ended;
        }

        @Override
        public Tuple2<byte[], byte[]> next() {
            if (hasNext() && !blocks.isEmpty()) {
                return blocks.next();
            }
            ended = true;
            return encoder.read(bad, problems, null).record();
        }
    }
}
