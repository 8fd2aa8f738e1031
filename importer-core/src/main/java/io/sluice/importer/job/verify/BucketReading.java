package io.sluice.importer.job.verify;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checksums of a table that was read back from the nodes, bucket by bucket.
 *
 * @param found one result per index and bucket
 */
record BucketReading(Buckets buckets, List<List<Found>> found) {
    /**
     * The result for one bucket.
     *
     * @param sum checksum of the bucket's KVs; empty when the bucket could not be read
     * @param problem why the bucket could not be read, or null
     */
    record Found(KvChecksum sum, @Nullable String problem) {}

    /**
     * Reads all buckets back.
     *
     * @throws OperationFailedException when a node does not answer, or the thread is interrupted. KVs that cannot be
     *     read are reported in {@link Found#problem}.
     */
    static BucketReading of(ImportSession session, Buckets buckets) {
        List<List<Found>> found = new ArrayList<>();
        for (int i = 0; i < session.table().indexes().size(); i++) {
            List<Found> index = new ArrayList<>();
            for (int bucket = 0; bucket < buckets.count(i); bucket++) {
                index.add(read(session, buckets, i, bucket));
            }
            found.add(index);
        }
        return new BucketReading(buckets, found);
    }

    private static Found read(ImportSession session, Buckets buckets, int ordinal, int bucket) {
        try {
            List<IndexChecksum> sums =
                    session.readBack(List.of(buckets.span(ordinal, bucket))).indexes();
            return new Found(sums.get(ordinal).sum(), null);
        } catch (OperationFailedException e) {
            if (!isUnreadableKv(e)) {
                throw e;
            }
            return new Found(KvChecksum.EMPTY, String.valueOf(e.getMessage()));
        }
    }

    /** Whether KVs could not be read; false when the node did not answer or the thread was interrupted. */
    static boolean isUnreadableKv(OperationFailedException failure) {
        return !(failure instanceof NodeUnreachableException)
                && !Thread.currentThread().isInterrupted();
    }

    /** Whether every bucket could be read. */
    boolean readable() {
        return found.stream().flatMap(List::stream).allMatch(each -> each.problem() == null);
    }

    /** Checksums of the readable buckets, per index in the table's order. */
    List<IndexChecksum> sums(Table table) {
        List<IndexChecksum> sums = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            KvChecksum sum = found.get(i).stream().map(Found::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
            sums.add(new IndexChecksum(table.indexes().get(i).def().name(), sum));
        }
        return sums;
    }
}
