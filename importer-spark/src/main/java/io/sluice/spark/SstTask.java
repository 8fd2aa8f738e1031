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

/** Writes the KVs of one partition, which come in blocks by their first keys, as SSTs. */
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
    /** The last KV; blocks never change. */
    private byte[] last = new byte[0];

    private int lastKey;
    private int lastKeyLength;
    private int lastValueLength;
    private long keyBytes;
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

    /** Writes all KVs of blocks. */
    TaskResults.Written write(Iterator<Tuple2<byte[], byte[]>> blocks) throws IOException {
        // Only this one: without the directory around it, the build has ended.
        Files.createDirectory(directory);
        try (SstFormat format = new SstFormat()) {
            new BlockMerge(blocks, report -> read.add(TaskResults.Read.of(report)))
                    .into((buffer, keyOffset, keyLength, valueLength) -> {
                        write(buffer, keyOffset, keyLength, valueLength, format);
                        last = buffer;
                        lastKey = keyOffset;
                        lastKeyLength = keyLength;
                        lastValueLength = valueLength;
                    });
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

    private void write(byte[] buffer, int keyOffset, int keyLength, int valueLength, SstFormat format)
            throws IOException {
        int value = keyOffset + keyLength;
        int lastValue = lastKey + lastKeyLength;
        boolean sameKey = Arrays.equals(last, lastKey, lastValue, buffer, keyOffset, value);
        keyBytes = keyLength + valueLength + (sameKey ? keyBytes : 0);
        if (keyBytes > largestBytes) {
            largestBytes = keyBytes;
            largestKey = Arrays.copyOfRange(buffer, keyOffset, value);
        }
        if (!sameKey) {
            add(buffer, keyOffset, keyLength, valueLength, format);
        } else if (Arrays.equals(last, lastValue, lastValue + lastValueLength, buffer, value, value + valueLength)) {
            repeated.get(index).add(buffer, keyOffset, keyLength, valueLength);
        } else {
            conflict(Arrays.copyOfRange(buffer, keyOffset, value));
        }
    }

    private void add(byte[] buffer, int keyOffset, int keyLength, int valueLength, SstFormat format)
            throws IOException {
        SstBuilder current = sst;
        if (current != null
                && (!spans.get(index).contains(buffer, keyOffset, keyLength) || current.bytes() >= TARGET_BYTES)) {
            finish();
            current = null;
        }
        if (current == null) {
            while (!spans.get(index).contains(buffer, keyOffset, keyLength)) {
                index++;
            }
            String id = name + '/' + ssts.size();
            current = new SstBuilder(
                    UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)), directory, digests.get(index), format);
            sst = current;
        }
        current.add(buffer, keyOffset, keyLength, valueLength);
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
