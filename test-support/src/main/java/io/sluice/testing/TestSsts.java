package io.sluice.testing;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.SstFile;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/** A minimal importer: encodes rows to KVs, sorts them, and writes SSTs. */
public final class TestSsts {
    static {
        RocksDB.loadLibrary();
    }

    private static final AtomicLong NEXT_ID = new AtomicLong(1);

    private TestSsts() {}

    /** Imports rows into a new table, shipped in two overlapping SSTs per index, and publishes it. */
    public static List<IndexChecksum> importTable(
            NodeClient node, TableDef def, List<List<@Nullable String>> rows, Path directory) throws Exception {
        try (ImportSession session = node.beginImport(ImportRequest.of(def, IngestTiming.AT_END))) {
            List<IndexChecksum> sums = shipAll(session, rows, directory);
            session.finalizeIngest();
            session.publish(sums);
            return sums;
        }
    }

    /** Ships rows in two overlapping SSTs per index. */
    public static List<IndexChecksum> shipAll(ImportSession session, List<List<@Nullable String>> rows, Path directory)
            throws Exception {
        List<SstFile> ssts = new ArrayList<>();
        ssts.addAll(build(session.table(), every(2, 0, rows), directory));
        ssts.addAll(build(session.table(), every(2, 1, rows), directory));
        ssts.forEach(session::ship);
        return sums(session.table(), ssts);
    }

    public static List<IndexChecksum> sums(Table table, List<SstFile> ssts) {
        return table.indexes().stream()
                .map(index -> new IndexChecksum(
                        index.def().name(),
                        ssts.stream()
                                .filter(sst -> sst.indexId() == index.def().id())
                                .map(SstFile::sum)
                                .reduce(KvChecksum.EMPTY, KvChecksum::plus)))
                .toList();
    }

    /** Copies an SST under another id. */
    public static SstFile renamed(SstFile sst, UUID id) {
        return new SstFile(
                id, sst.path(), sst.indexId(), sst.smallestKey(), sst.largestKey(), sst.fileBytes(), sst.sum());
    }

    /** The same SST in a file of its own: a node takes over the file that it receives. */
    public static SstFile copy(SstFile sst) throws IOException {
        Path file = sst.path().resolveSibling(UUID.randomUUID() + ".copy");
        Files.copy(sst.path(), file);
        return new SstFile(
                sst.id(), file, sst.indexId(), sst.smallestKey(), sst.largestKey(), sst.fileBytes(), sst.sum());
    }

    private static <T> List<T> every(int nth, int from, List<T> all) {
        List<T> some = new ArrayList<>();
        for (int i = from; i < all.size(); i += nth) {
            some.add(all.get(i));
        }
        return some;
    }

    /** One SST per index. */
    public static List<SstFile> build(Table table, List<List<@Nullable String>> rows, Path directory) throws Exception {
        return build(table, rows, directory, index -> new UUID(0, NEXT_ID.getAndIncrement()));
    }

    /** One SST per index; the same seed gives the same ids. */
    public static List<SstFile> build(Table table, List<List<@Nullable String>> rows, Path directory, long seed)
            throws Exception {
        return build(table, rows, directory, index -> new UUID(seed, index));
    }

    private static List<SstFile> build(
            Table table, List<List<@Nullable String>> rows, Path directory, IntFunction<UUID> ids) throws Exception {
        List<SstFile> ssts = new ArrayList<>();
        for (IndexEncoder encoder : IndexEncoder.ofAll(table)) {
            Map<byte[], byte[]> kvs = new TreeMap<>(Arrays::compareUnsigned);
            for (List<@Nullable String> texts : rows) {
                Row row = row(table, texts);
                put(encoder, row, kvs);
                encoder.families().forEach(family -> put(family, row, kvs));
            }
            IndexDigest index = IndexDigest.of(table, encoder.ordinal());
            ssts.add(write(kvs, index, ids.apply(index.indexId()), directory));
        }
        return ssts;
    }

    private static void put(KvEncoder encoder, Row row, Map<byte[], byte[]> kvs) {
        byte[] buffer = new byte[encoder.maxBytes(row)];
        long lengths = encoder.encode(row, buffer, 0);
        int keyLength = (int) (lengths >>> 32);
        int end = keyLength + (int) lengths;
        if (end > 0) {
            kvs.put(Arrays.copyOf(buffer, keyLength), Arrays.copyOfRange(buffer, keyLength, end));
        }
    }

    public static Row row(Table table, List<@Nullable String> texts) {
        Row row = new Row(texts.size());
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            if (text != null) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                var problem =
                        DatumParser.of(table.def().columns().get(i).type()).parse(bytes, 0, bytes.length, row, i);
                if (problem != null) {
                    throw new IllegalArgumentException(text + ": " + problem);
                }
            }
        }
        return row;
    }

    /** An SST of these KVs; their values must begin with their CRCs for the sum to be right. */
    public static SstFile write(Map<byte[], byte[]> kvs, IndexDigest index, Path directory)
            throws RocksDBException, IOException {
        return write(kvs, index, new UUID(0, NEXT_ID.getAndIncrement()), directory);
    }

    private static SstFile write(Map<byte[], byte[]> kvs, IndexDigest index, UUID id, Path directory)
            throws RocksDBException, IOException {
        Path file = Files.createTempFile(directory, "made-", ".sst");
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(index);
        byte[] smallest = {};
        byte[] largest = {};
        try (EnvOptions env = new EnvOptions();
                Options options = new Options();
                SstFileWriter writer = new SstFileWriter(env, options)) {
            writer.open(file.toString());
            for (Map.Entry<byte[], byte[]> kv : kvs.entrySet()) {
                writer.put(kv.getKey(), kv.getValue());
                sum.add(kv.getKey(), kv.getValue());
                smallest = smallest.length == 0 ? kv.getKey() : smallest;
                largest = kv.getKey();
            }
            writer.finish();
        }
        return new SstFile(id, file, index.indexId(), smallest, largest, Files.size(file), sum.sum());
    }
}
