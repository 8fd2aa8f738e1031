package io.sluice.spark;

import io.sluice.api.node.SstFile;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** Writes the sorted KVs of one partition as SSTs. */
final class SstTask {
    private static final long TARGET_BYTES = 64L << 20;
    /** Most keys in conflict that a task names: some megabytes of its result. */
    static final int MOST_CONFLICT_KEYS = 100_000;

    private static final int KEY_SHOWN = 64;

    private final String name;
    private final SetPlace.Share share;
    private final Path directory;
    private final List<IndexDigest> digests;
    private final List<KeySpan> spans = new ArrayList<>();
    private final List<KvChecksum.Accumulator> repeated;
    private final List<TaskResults.Sst> ssts = new ArrayList<>();
    private final List<byte[]> conflictKeys = new ArrayList<>();
    private final List<TaskResults.Read> read = new ArrayList<>();
    private long conflicts;
    private int index;
    private @Nullable SstBuilder sst;
    private byte[] joined = new byte[1024];
    private byte[] largestKey = new byte[0];
    private long largestBytes;

    /**
     * Creates a task.
     *
     * @param name name of the attempt; it gives the SSTs their ids
     * @param share takes the SSTs
     * @param directory directory of this attempt alone
     */
    SstTask(Table table, String name, SetPlace.Share share, Path directory) {
        this.name = name;
        this.share = share;
        this.directory = directory;
        digests = IndexDigest.ofAll(table);
        repeated = digests.stream().map(KvChecksum.Accumulator::new).toList();
        IndexKeys keys = new IndexKeys(table);
        for (int i = 0; i < table.indexes().size(); i++) {
            spans.add(keys.span(i));
        }
    }

    /** Writes all KVs. */
    TaskResults.Written write(Iterator<Tuple2<byte[], byte[]>> kvs) throws IOException {
        // Only this one: without the directory around it, the build has ended.
        Files.createDirectory(directory);
        byte[] lastKey = new byte[0];
        byte[] lastValue = new byte[0];
        long keyBytes = 0;
        try (SstFormat format = new SstFormat()) {
            while (kvs.hasNext()) {
                Tuple2<byte[], byte[]> kv = kvs.next();
                byte[] key = kv._1();
                byte[] value = kv._2();
                keyBytes = key.length + value.length + (Arrays.equals(key, lastKey) ? keyBytes : 0);
                if (key.length > 0 && keyBytes > largestBytes) {
                    largestBytes = keyBytes;
                    largestKey = key;
                }
                if (key.length == 0) {
                    read.add(TaskResults.Read.of(value));
                } else if (!Arrays.equals(key, lastKey)) {
                    add(key, value, format);
                } else if (Arrays.equals(value, lastValue)) {
                    repeated.get(index).add(key, value);
                } else {
                    conflict(key);
                }
                lastKey = key;
                lastValue = value;
            }
            finish();
        } finally {
            if (sst != null) {
                sst.close();
            }
        }
        return new TaskResults.Written(
                ssts,
                repeated.stream().map(sum -> TaskResults.Sum.of(sum.sum())).toList(),
                conflicts,
                conflictKeys,
                read,
                new TaskResults.Largest(
                        HexFormat.of().formatHex(largestKey, 0, Math.min(KEY_SHOWN, largestKey.length)), largestBytes));
    }

    private void add(byte[] key, byte[] value, SstFormat format) throws IOException {
        SstBuilder current = sst;
        if (current != null && (!spans.get(index).contains(key) || current.bytes() >= TARGET_BYTES)) {
            finish();
            current = null;
        }
        if (current == null) {
            while (!spans.get(index).contains(key)) {
                index++;
            }
            String id = name + '/' + ssts.size();
            current = new SstBuilder(
                    UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)), directory, digests.get(index), format);
            sst = current;
        }
        if (joined.length < key.length + value.length) {
            joined = new byte[2 * (key.length + value.length)];
        }
        System.arraycopy(key, 0, joined, 0, key.length);
        System.arraycopy(value, 0, joined, key.length, value.length);
        current.add(joined, 0, key.length, value.length);
    }

    private void finish() throws IOException {
        if (sst != null) {
            SstFile finished = sst.finish();
            sst.close();
            sst = null;
            ssts.add(TaskResults.Sst.of(finished));
            share.put(finished);
        }
    }

    private void conflict(byte[] key) {
        conflicts++;
        boolean known = !conflictKeys.isEmpty() && Arrays.equals(conflictKeys.get(conflictKeys.size() - 1), key);
        if (!known && conflictKeys.size() < MOST_CONFLICT_KEYS) {
            conflictKeys.add(key);
        }
    }
}
