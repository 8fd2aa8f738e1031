package io.sluice.importer.sst;

import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.RunCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts finished SSTs at keys that were not known when they were written. Reads each back: the exception, not the rule.
 */
public final class SstCutter {
    private final Path directory;
    private final SstFormat format;
    private final List<IndexDigest> indexes;

    /**
     * A cutter of a table's SSTs.
     *
     * @param directory directory of the output files
     */
    public SstCutter(Path directory, Table table, SstFormat format) {
        this.directory = directory;
        this.format = format;
        indexes = IndexDigest.ofAll(table);
    }

    /** Whether one of these keys, ascending, divides the SST. */
    public static boolean cuts(SstFile sst, List<byte[]> keys) {
        return keys.stream().anyMatch(key -> divides(sst, key));
    }

    private static boolean divides(SstFile sst, byte[] key) {
        return Arrays.compareUnsigned(sst.smallestKey(), key) < 0 && Arrays.compareUnsigned(key, sst.largestKey()) <= 0;
    }

    /**
     * Cuts an SST at these keys into several, ascending, each with its own id. Removes the SST's file. An SST in memory
     * or in an object store is first copied to one: cutting is the exception, after a change of the directory.
     *
     * @param keys ascending; those outside the SST are ignored
     * @throws IOException if the SST cannot be read or an output file cannot be written; then no output file is left
     */
    public List<SstFile> cut(SstFile sst, List<byte[]> keys) throws IOException {
        List<byte[]> inside = keys.stream().filter(key -> divides(sst, key)).toList();
        List<SstFile> outputs = new ArrayList<>();
        try (SstRun run = new SstRun(inFile(sst))) {
            byte[] from = null;
            for (byte[] to : inside) {
                addOutput(run, sst.indexId(), from, to, outputs);
                from = to;
            }
            addOutput(run, sst.indexId(), from, null, outputs);
            KvChecksum checksum = outputs.stream().map(SstFile::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
            if (!checksum.equals(sst.sum())) {
                throw new OperationFailedException(
                        "cutting an SST of " + sst.sum().count() + " KVs failed: its output files hold "
                                + checksum.count() + " KVs with another checksum; check the work directory's disk");
            }
            return outputs;
        } catch (IOException | RuntimeException e) {
            for (SstFile output : outputs) {
                if (output.bytes() instanceof SstBytes.OnDisk file) {
                    Files.deleteIfExists(file.path());
                }
            }
            throw e;
        }
    }

    /** The SST in a file; one in memory or in an object store is copied. */
    public SstFile inFile(SstFile sst) throws IOException {
        if (sst.bytes() instanceof SstBytes.InStore stored) {
            SstFile copy = sst.with(new SstBytes.OnDisk(directory.resolve(sst.id() + ".sst"), stored.crc32c()));
            stored.object().copyTo(copy.path());
            return copy;
        }
        if (!(sst.bytes() instanceof SstBytes.InMemory memory)) {
            return sst;
        }
        Path path = directory.resolve(sst.id() + ".sst");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (ByteBuffer chunk : memory.chunks()) {
                while (chunk.hasRemaining()) {
                    file.write(chunk);
                }
            }
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
        memory.release();
        return sst.at(path);
    }

    private IndexDigest index(int id) {
        return indexes.stream().filter(each -> each.indexId() == id).findFirst().orElseThrow();
    }

    private void addOutput(SstRun run, int indexId, byte @Nullable [] from, byte @Nullable [] to, List<SstFile> outputs)
            throws IOException {
        try (SstBuilder builder = new SstBuilder(directory, index(indexId), format);
                RunCursor cursor = run.cursor(from, to)) {
            while (cursor.advance()) {
                builder.add(cursor.buffer(), cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
            }
            if (!builder.isEmpty()) {
                outputs.add(builder.finish());
            }
        }
    }
}
