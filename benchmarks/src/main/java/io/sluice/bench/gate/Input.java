package io.sluice.bench.gate;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.KeyBounds;
import io.sluice.model.kv.KvChecksum;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** A list of SSTs in the order in which they arrive, with their files, in one directory. */
final class Input {
    private static final String LIST = "list.jsonl";

    private final Path directory;
    private final List<Sst> ssts;

    /**
     * An SST of the list. The arrays are not copied: do not change them.
     *
     * @param id id and file name
     * @param indexId index of its KVs
     * @param keys its first and last key
     * @param fileBytes its length
     * @param sum checksum of its KVs
     * @param firstRow the first row of the sort buffer of which it was written
     * @param endRow the row after the last one
     */
    record Sst(UUID id, int indexId, KeyBounds keys, long fileBytes, Sum sum, long firstRow, long endRow) {
        /** A checksum as JSON, which has only these members. */
        record Sum(long count, long bytes, long crcSum) {}

        static Sst of(SstFile sst, long firstRow, long endRow) {
            KvChecksum sum = sst.sum();
            return new Sst(
                    sst.id(),
                    sst.indexId(),
                    new KeyBounds(sst.smallestKey(), sst.largestKey()),
                    sst.fileBytes(),
                    new Sum(sum.count(), sum.bytes(), sum.crcSum()),
                    firstRow,
                    endRow);
        }

        String fileName() {
            return id + ".sst";
        }

        KvChecksum checksum() {
            return new KvChecksum(sum.count, sum.bytes, sum.crcSum);
        }

        /** The same in that directory. */
        SstFile in(Path directory) {
            return new SstFile(
                    id, directory.resolve(fileName()), indexId, keys.smallest(), keys.largest(), fileBytes, checksum());
        }

        boolean spans(byte[] key) {
            return Arrays.compareUnsigned(keys.smallest(), key) <= 0
                    && Arrays.compareUnsigned(key, keys.largest()) <= 0;
        }
    }

    private Input(Path directory, List<Sst> ssts) {
        this.directory = directory;
        this.ssts = List.copyOf(ssts);
    }

    static Input write(Path directory, List<Sst> ssts) throws IOException {
        ObjectMapper json = new ObjectMapper();
        try (BufferedWriter writer = Files.newBufferedWriter(directory.resolve(LIST))) {
            for (Sst sst : ssts) {
                writer.append(json.writeValueAsString(sst)).append('\n');
            }
        }
        return new Input(directory, ssts);
    }

    static Input read(Path directory) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<Sst> ssts = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve(LIST))) {
            ssts.add(json.readValue(line, Sst.class));
        }
        return new Input(directory, ssts);
    }

    List<Sst> ssts() {
        return ssts;
    }

    long fileBytes() {
        return ssts.stream().mapToLong(Sst::fileBytes).sum();
    }

    /** Links all files into another directory, where a node may move and remove them. */
    void linkInto(Path other) throws IOException {
        Files.createDirectories(other);
        for (Sst sst : ssts) {
            Files.createLink(other.resolve(sst.fileName()), directory.resolve(sst.fileName()));
        }
    }

    /** Reads all files once, so that every node finds them in the page cache. */
    void warm() throws IOException {
        byte[] buffer = new byte[1 << 20];
        for (Sst sst : ssts) {
            try (var in = Files.newInputStream(directory.resolve(sst.fileName()))) {
                while (in.read(buffer) >= 0) {
                    // Reading does it.
                }
            }
        }
    }
}
