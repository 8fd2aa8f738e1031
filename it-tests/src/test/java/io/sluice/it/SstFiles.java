package io.sluice.it;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.SstWriter;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
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

/** Rows to SSTs in the simplest way, for tests that speak to nodes without an importer. */
final class SstFiles {
    private SstFiles() {}

    /**
     * One SST per index of the table.
     *
     * @param seed makes the ids: the same seed and rows give the same SSTs under the same ids
     */
    static List<SstFile> of(Table table, List<List<String>> rows, long seed, Path directory) throws IOException {
        List<SstFile> ssts = new ArrayList<>();
        for (IndexEncoder encoder : IndexEncoder.ofAll(table)) {
            Map<byte[], byte[]> kvs = new TreeMap<>(Arrays::compareUnsigned);
            for (List<String> texts : rows) {
                Row row = row(table, texts);
                byte[] buffer = new byte[encoder.maxBytes(row)];
                long lengths = encoder.encode(row, buffer, 0);
                int keyLength = (int) (lengths >>> 32);
                kvs.put(
                        Arrays.copyOf(buffer, keyLength),
                        Arrays.copyOfRange(buffer, keyLength, keyLength + (int) lengths));
            }
            int indexId = table.indexes().get(encoder.ordinal()).def().id();
            ssts.add(write(kvs, new UUID(seed, indexId), IndexDigest.of(table, encoder.ordinal()), directory));
        }
        return ssts;
    }

    static Row row(Table table, List<String> texts) {
        Row row = new Row(texts.size());
        for (int i = 0; i < texts.size(); i++) {
            byte[] bytes = texts.get(i).getBytes(StandardCharsets.UTF_8);
            var problem = DatumParser.of(table.def().columns().get(i).type()).parse(bytes, 0, bytes.length, row, i);
            if (problem != null) {
                throw new IllegalArgumentException(texts.get(i) + ": " + problem);
            }
        }
        return row;
    }

    private static SstFile write(Map<byte[], byte[]> kvs, UUID id, IndexDigest index, Path directory)
            throws IOException {
        Path file = Files.createTempFile(directory, "made-", ".sst");
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(index);
        byte[] smallest = {};
        byte[] largest = {};
        try (SstWriter writer = new SstWriter(file)) {
            for (Map.Entry<byte[], byte[]> kv : kvs.entrySet()) {
                writer.add(kv.getKey(), kv.getValue());
                sum.add(kv.getKey(), kv.getValue());
                smallest = smallest.length == 0 ? kv.getKey() : smallest;
                largest = kv.getKey();
            }
            writer.finish();
        }
        return new SstFile(id, file, index.indexId(), smallest, largest, Files.size(file), sum.sum());
    }

    /** The same SST in a file of its own: a node takes over the one it is given. */
    static SstFile copy(SstFile sst) throws IOException {
        Path file = sst.path().resolveSibling(UUID.randomUUID() + ".copy");
        Files.copy(sst.path(), file);
        return new SstFile(
                sst.id(), file, sst.indexId(), sst.smallestKey(), sst.largestKey(), sst.fileBytes(), sst.sum());
    }

    static List<IndexChecksum> sums(Table table, List<SstFile> ssts) {
        return table.indexes().stream()
                .map(index -> new IndexChecksum(
                        index.def().name(),
                        ssts.stream()
                                .filter(sst -> sst.indexId() == index.def().id())
                                .map(SstFile::sum)
                                .reduce(KvChecksum.EMPTY, KvChecksum::plus)))
                .toList();
    }
}
