package io.sluice.spark;

import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.model.kv.KvChecksum;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** Reports of tasks to the driver, for Java's serialization. */
final class TaskResults {
    private static final int MOST_SKEWED = 10;

    private TaskResults() {}

    /** A checksum of KVs; see {@link KvChecksum}. */
    record Sum(long count, long bytes, long crcSum) implements Serializable {
        static Sum of(KvChecksum sum) {
            return new Sum(sum.count(), sum.bytes(), sum.crcSum());
        }

        KvChecksum checksum() {
            return new KvChecksum(count, bytes, crcSum);
        }
    }

    /**
     * Report on one part of the input: a partition of a DataFrame, or a file.
     *
     * @param partition its number
     * @param rows number of rows that were encoded
     * @param bad number of rows that are no rows of the table
     * @param dropped number of rows that were left out, since they lost a conflict
     * @param problems the first of their problems
     * @param failure why it cannot be read to its end; null if it was
     * @param sums checksum of the KVs of each index
     */
    record Read(
            int partition,
            long rows,
            long bad,
            long dropped,
            List<String> problems,
            @Nullable String failure,
            List<Sum> sums)
            implements Serializable {
        /** The report as a record of the shuffle, which comes before all keys. */
        Tuple2<byte[], byte[]> record() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(this);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Tuple2<>(new byte[0], bytes.toByteArray());
        }

        static Read of(byte[] bytes) {
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
                return (Read) in.readObject();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** An SST that a task has written; see {@link SstFile}. */
    @SuppressWarnings("ArrayRecordComponent")
    record Sst(
            String id, String file, int crc32c, int indexId, byte[] smallest, byte[] largest, Sum sum, Sampled sampled)
            implements Serializable {
        static Sst of(SstFile sst) {
            return new Sst(
                    sst.id().toString(),
                    sst.path().toString(),
                    sst.bytes().crc32c(),
                    sst.indexId(),
                    sst.smallestKey(),
                    sst.largestKey(),
                    Sum.of(sst.sum()),
                    new Sampled(sst.fileBytes(), sst.samples().toArray(new byte[0][])));
        }

        SstFile toFile() {
            return new SstFile(
                    UUID.fromString(id),
                    new SstBytes.OnDisk(Path.of(file), crc32c),
                    indexId,
                    smallest,
                    largest,
                    sampled.fileBytes,
                    sum.checksum(),
                    List.of(sampled.keys));
        }
    }

    /**
     * Length of an SST's file and the keys whose blocks are read back.
     *
     * @param fileBytes length of the file
     * @param keys in the order of the SST
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Sampled(long fileBytes, byte[][] keys) implements Serializable {}

    /**
     * The key with the most bytes in a key range, since one key is never split.
     *
     * @param key its first bytes in hexadecimal
     * @param bytes bytes of all KVs with this key
     */
    record Largest(String key, long bytes) implements Serializable {}

    /**
     * Report of one task of the last stage.
     *
     * @param ssts the SSTs of its key range, by key
     * @param repeated checksum per index of the KVs that repeat an earlier one
     * @param conflicts number of KVs whose key another one has, with another value
     * @param conflictKeys the first of these keys
     * @param read reports on the input partitions, from the task that collects them; empty from others
     * @param largest the key with the most bytes
     */
    record Written(
            List<Sst> ssts,
            List<Sum> repeated,
            long conflicts,
            List<byte[]> conflictKeys,
            List<Read> read,
            Largest largest)
            implements Serializable {
        /** Bytes of the keys and values that the task got. */
        long bytes() {
            return ssts.stream().mapToLong(sst -> sst.sum().bytes()).sum()
                    + repeated.stream().mapToLong(Sum::bytes).sum();
        }
    }

    /**
     * Names each key range with more than twice the mean bytes of all, and the key that makes it so large.
     *
     * @param written reports of all tasks
     */
    static List<String> skew(List<Written> written) {
        long all = written.stream().mapToLong(Written::bytes).sum();
        long ranges = written.stream().filter(task -> task.bytes() > 0).count();
        List<String> lines = new ArrayList<>();
        for (Written task : written) {
            if (ranges > 1 && task.bytes() > 2 * all / ranges && lines.size() < MOST_SKEWED) {
                Largest largest = task.largest();
                boolean oneKey = 2 * largest.bytes() > task.bytes();
                lines.add("a key range has " + task.bytes() + " bytes, and the mean is " + all / ranges + ": "
                        + (oneKey
                                ? "its key " + largest.key() + " alone has " + largest.bytes()
                                        + ", and one key is not split"
                                : "it begins with key "
                                        + HexFormat.of()
                                                .formatHex(task.ssts().get(0).smallest())
                                        + ", and the sampled rows did not show its size"));
            }
        }
        return lines;
    }
}
