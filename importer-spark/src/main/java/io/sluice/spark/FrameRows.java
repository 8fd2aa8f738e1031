package io.sluice.spark;

import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Place;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.sort.ConflictKeys;
import io.sluice.model.error.BadInputException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
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
    private final JavaRDD<InternalRow> texts;
    private final Task task;

    FrameRows(Dataset<Row> whole, TableRef table, CellColumns cells) {
        JavaRDD<InternalRow> rows = rows(CellColumns.texts(whole));
        data = rows.getNumPartitions() > MOST_TASKS ? whole.coalesce(MOST_TASKS) : whole;
        texts = rows.getNumPartitions() > MOST_TASKS ? rows(CellColumns.texts(data)) : rows;
        task = new Task(table, cells);
    }

    private static JavaRDD<InternalRow> rows(Dataset<Row> data) {
        return data.queryExecution().toRdd().toJavaRDD();
    }

    @Override
    public Sample sample() {
        double fraction = Math.min(1, SAMPLED_ROWS / (data.count() + 1.0));
        List<Tuple2<byte[], Long>> keys = rows(CellColumns.texts(data.sample(false, fraction, SEED)))
                .mapPartitionsWithIndex(task::keys, false)
                .collect();
        return new Sample(keys, (long) (keys.stream().mapToLong(Tuple2::_2).sum() / fraction));
    }

    @Override
    public long tasks() {
        return Math.min(texts.getNumPartitions(), texts.context().defaultParallelism());
    }

    @Override
    public JavaRDD<Tuple2<byte[], byte[]>> kvs(Broadcast<Set<Fingerprint>> losers) {
        Task work = task;
        return texts.mapPartitionsWithIndex((partition, rows) -> new Kvs(work, partition, losers.value(), rows), false);
    }

    @Override
    public List<Contender> contenders(List<byte[]> keys) {
        Task work = task;
        return texts.mapPartitionsWithIndex((partition, rows) -> work.contenders(partition, rows, keys), false)
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

        /** The keys of sampled rows, each with the length of its KV. */
        Iterator<Tuple2<byte[], Long>> keys(int partition, Iterator<InternalRow> rows) {
            CellReader reader = new CellReader(table.table(), cells);
            RowEncoder encoder = new RowEncoder(table.table(), partition, Set.of());
            List<Tuple2<byte[], byte[]>> kvs = new ArrayList<>();
            List<Tuple2<byte[], Long>> keys = new ArrayList<>();
            while (rows.hasNext()) {
                if (reader.read(rows.next()) == null) {
                    encoder.encode(reader.row(), 0, kvs);
                    kvs.forEach(kv -> keys.add(new Tuple2<>(kv._1(), (long) kv._1().length + kv._2().length)));
                    kvs.clear();
                }
            }
            return keys.iterator();
        }

        Iterator<Contender> contenders(int partition, Iterator<InternalRow> rows, List<byte[]> conflicts) {
            ConflictKeys keys = new ConflictKeys(Long.MAX_VALUE);
            conflicts.forEach(key -> keys.add(key, 0, key.length));
            CellReader reader = new CellReader(table.table(), cells);
            RowEncoder encoder = new RowEncoder(table.table(), partition, Set.of());
            List<Tuple2<byte[], byte[]>> kvs = new ArrayList<>();
            List<Contender> found = new ArrayList<>();
            while (rows.hasNext()) {
                if (reader.read(rows.next()) == null) {
                    long position = encoder.rows();
                    encoder.encode(reader.row(), position, kvs);
                    Contender contender = encoder.contender(
                            kvs,
                            keys,
                            new Place(partition, "partition " + partition, Reject.Unit.ROW, position + 1, position));
                    kvs.clear();
                    if (contender != null) {
                        found.add(contender);
                    }
                }
            }
            return found.iterator();
        }
    }

    /** The KVs of a partition's rows, and after them a record with an empty key that says what the partition held. */
    private static final class Kvs implements Iterator<Tuple2<byte[], byte[]>> {
        private final CellReader reader;
        private final RowEncoder encoder;
        private final Iterator<InternalRow> rows;
        private final List<String> problems = new ArrayList<>();
        private final List<Tuple2<byte[], byte[]>> kvs = new ArrayList<>();
        private Iterator<Tuple2<byte[], byte[]>> next = Collections.emptyIterator();
        private long position;
        private long bad;
        private boolean ended;

        Kvs(Task task, int partition, Set<Fingerprint> losers, Iterator<InternalRow> rows) {
            reader = new CellReader(task.table().table(), task.cells());
            encoder = new RowEncoder(task.table().table(), partition, losers);
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            while (!next.hasNext() && rows.hasNext()) {
                kvs.clear();
                String problem = reader.read(rows.next());
                if (problem == null) {
                    encoder.encode(reader.row(), position++, kvs);
                } else {
                    bad++;
                    if (problems.size() < PROBLEMS_SHOWN) {
                        problems.add(problem);
                    }
                }
                next = kvs.iterator();
            }
            return next.hasNext() || !ended;
        }

        @Override
        public Tuple2<byte[], byte[]> next() {
            if (hasNext() && next.hasNext()) {
                return next.next();
            }
            ended = true;
            return encoder.read(bad, problems, null).record();
        }
    }
}
