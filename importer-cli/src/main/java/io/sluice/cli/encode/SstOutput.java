package io.sluice.cli.encode;

import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.SstHeaders;
import io.sluice.cli.output.Json;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Writes a few rows as SST files, one per index, for manual upload to a node. Holds all KVs in memory: meant for
 * experiments, not for imports. Not thread-safe.
 */
final class SstOutput {
    /** Limit of KVs in memory; more rows need an import. */
    private static final int MAX_KVS = 1_000_000;

    private static final UUID NO_IMPORT = new UUID(0, 0);

    private final Table table;
    private final List<IndexEncoder> encoders;
    /** For each index, maps a key to an array of key and value. */
    private final List<TreeMap<byte[], byte[]>> kvs;

    private byte[] buffer = new byte[4096];
    private int count;

    SstOutput(Table table) {
        this.table = table;
        encoders = IndexEncoder.ofAll(table);
        kvs = encoders.stream()
                .map(each -> new TreeMap<byte[], byte[]>(Arrays::compareUnsigned))
                .toList();
    }

    /** Adds a row's KVs; the last of several rows with the same key wins. */
    void add(Row row) {
        for (int i = 0; i < encoders.size(); i++) {
            TreeMap<byte[], byte[]> index = kvs.get(i);
            IndexEncoder encoder = encoders.get(i);
            byte[] first = put(index, encoder, row);
            if (!encoder.families().isEmpty()) {
                // An earlier row with the key may have more KVs.
                index.subMap(first, false, EntryKeys.end(first), false).clear();
                encoder.families().forEach(family -> put(index, family, row));
            }
        }
        count += encoders.size();
        if (count > MAX_KVS) {
            throw new OperationFailedException("--sst: more than " + MAX_KVS
                    + " KVs do not fit into memory; import the rows with 'sluice import' instead");
        }
    }

    /** Adds a KV, if the row has it; returns its key. */
    private byte[] put(Map<byte[], byte[]> index, KvEncoder encoder, Row row) {
        int room = encoder.maxBytes(row);
        if (buffer.length < room) {
            buffer = new byte[room];
        }
        long lengths = encoder.encode(row, buffer, 0);
        int keyLength = (int) (lengths >>> Integer.SIZE);
        byte[] key = Arrays.copyOf(buffer, keyLength);
        if (lengths != 0) {
            index.put(key, Arrays.copyOf(buffer, keyLength + (int) lengths));
        }
        return key;
    }

    /**
     * Writes the files: for each index with rows {@code TABLE.INDEX.sst}, and {@code TABLE.INDEX.headers} with the
     * headers of its upload, one per line.
     *
     * @return one line of JSON per SST
     */
    List<String> write(Path directory) {
        try (SstFormat format = new SstFormat()) {
            Files.createDirectories(directory);
            return IntStream.range(0, kvs.size())
                    .filter(i -> !kvs.get(i).isEmpty())
                    .mapToObj(i -> write(directory, i, format))
                    .toList();
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    private String write(Path directory, int ordinal, SstFormat format) {
        Index index = table.indexes().get(ordinal);
        try (SstBuilder builder = new SstBuilder(directory, IndexDigest.of(table, ordinal), format)) {
            for (Map.Entry<byte[], byte[]> kv : kvs.get(ordinal).entrySet()) {
                int keyLength = kv.getKey().length;
                builder.add(kv.getValue(), 0, keyLength, kv.getValue().length - keyLength);
            }
            SstFile sst = builder.finish();
            String name = table.name() + "." + index.def().name();
            Map<String, String> headers = headers(sst);
            Path named = Files.move(sst.path(), directory.resolve(name + ".sst"), StandardCopyOption.ATOMIC_MOVE);
            Files.write(
                    directory.resolve(name + ".headers"),
                    headers.entrySet().stream()
                            .map(header -> header.getKey() + ": " + header.getValue())
                            .toList());
            return line(index, sst, named, headers);
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    private static String line(Index index, SstFile sst, Path file, Map<String, String> headers) {
        return Json.object(json -> {
            json.writeStringField("index", index.def().name());
            json.writeStringField("file", file.toString());
            json.writeStringField("id", sst.id().toString());
            for (Map.Entry<String, String> header : headers.entrySet()) {
                json.writeStringField(header.getKey(), header.getValue());
            }
        });
    }

    /** The headers of an upload that do not depend on its import. */
    private static Map<String, String> headers(SstFile sst) {
        Map<String, String> headers =
                SstHeaders.of(sst, NO_IMPORT, 0, 0, sst.bytes().crc32c()).write();
        headers.keySet()
                .removeAll(List.of(ApiHeaders.IMPORT, ApiHeaders.ATTEMPT, ApiHeaders.EPOCH, ApiHeaders.SAMPLED_KEYS));
        return headers;
    }

    private static SluiceException failed(Path directory, IOException e) {
        return Reasons.ofPlace(
                "--sst " + directory + ": cannot write SSTs there: " + Reasons.ofFile(directory, e)
                        + "; name a directory that can be written, with free space",
                e);
    }
}
