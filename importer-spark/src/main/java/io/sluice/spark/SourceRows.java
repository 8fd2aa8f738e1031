package io.sluice.spark;

import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Place;
import io.sluice.importer.conflict.Resolution;
import java.util.List;
import java.util.Set;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.broadcast.Broadcast;
import scala.Tuple2;

/**
 * The rows of a write, in parts: files, or partitions of a DataFrame. Their order is that of the parts, and within a
 * part its own. Each method reads all rows, in tasks.
 */
interface SourceRows {
    /**
     * Some keys of all indexes.
     *
     * @param keys keys, each with the bytes that it stands for
     * @param bytes bytes of all keys and values, about
     */
    record Sample(List<Tuple2<byte[], Long>> keys, long bytes) {}

    Sample sample();

    /** Most tasks that read at the same time. */
    long tasks();

    /**
     * The KVs of all rows but some, in blocks of a {@link BlockWriter}. One more record for each part has an empty key
     * and a {@link TaskResults.Read}.
     *
     * @param losers primary KVs of the rows to leave out
     * @param ranges key ranges of the blocks
     */
    JavaRDD<Tuple2<byte[], byte[]>> kvs(Broadcast<Set<Fingerprint>> losers, KeyRanges ranges);

    /** The rows that hold one of the keys in the primary or a unique index, in order. */
    List<Contender> contenders(List<byte[]> keys);

    /**
     * Checks what was read, in the order of the parts.
     *
     * @throws io.sluice.model.error.BadInputException if there are more bad rows than allowed
     */
    void check(List<TaskResults.Read> read);

    /** Keeps the bad rows, and those that lost a conflict if they are captured; called before the publication. */
    void keepRejects(List<TaskResults.Read> read, List<Resolution.Drop> drops);

    /** The position of a row, for messages. */
    default String describe(Place place) {
        return place.describe();
    }

    /** Advice after rows with equal keys were refused. */
    String onConflictAdvice();
}
