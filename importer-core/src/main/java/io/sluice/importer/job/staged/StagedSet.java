package io.sluice.importer.job.staged;

import io.sluice.importer.source.Parallel;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * A staged set in a directory, whose manifest was read and checked.
 *
 * @param directory its directory
 * @param manifest its manifest
 */
public record StagedSet(Path directory, StagedManifest manifest) {
    private static final int CHUNK_BYTES = 1 << 20;

    /**
     * Opens a set; reads its manifest only.
     *
     * @throws BadInputException as {@link StagedManifest#read}
     */
    public static StagedSet open(Path directory) {
        return new StagedSet(directory, StagedManifest.read(directory));
    }

    /**
     * Checks that the set is of a table that Sluice can store.
     *
     * @throws BadInputException if its KVs are plain, for RocksDB itself
     */
    public StagedSet forIngest() {
        if (!manifest.target().form().isTable()) {
            throw new BadInputException(directory + ": holds plain SSTs for RocksDB itself, which have no table; give"
                    + " its .sst files to RocksDB's IngestExternalFile, or build the set without --target rocksdb");
        }
        return this;
    }

    /** The file of an SST. */
    Path file(StagedManifest.Sst sst) {
        return directory.resolve(sst.file());
    }

    /**
     * Reads all files of the set, in parallel, and compares them with the manifest.
     *
     * @return one line per file that is missing, shorter, longer or damaged; empty if the set is whole
     */
    public List<String> problems(int threads) {
        return problems(threads, bytes -> {});
    }

    /**
     * Reads all files as {@link #problems(int)}.
     *
     * @param read takes the number of bytes that were read since its last call; several threads call it
     */
    List<String> problems(int threads, LongConsumer read) {
        return Parallel.map(manifest.ssts(), threads, sst -> problem(sst, read)).stream()
                .flatMap(found -> found.problem() == null
                        ? found.results().stream()
                        : Stream.of(String.valueOf(found.problem().getMessage())))
                .toList();
    }

    private List<String> problem(StagedManifest.Sst sst, LongConsumer read) {
        Path file = file(sst);
        String where = sst.file() + " (index " + sst.index() + "): ";
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return List.of(where + "missing");
        }
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return List.of(where + "not a regular file");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long length = channel.size();
            if (length != sst.bytes()) {
                String how = length < sst.bytes() ? "shorter" : "longer";
                return List.of(where + how + " than in the manifest: " + length + " bytes, not " + sst.bytes());
            }
            CRC32C crc = new CRC32C();
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
            while (channel.read(chunk) >= 0) {
                read.accept(chunk.position());
                crc.update(chunk.flip());
                chunk.clear();
            }
            String found = String.format("%08x", crc.getValue());
            return found.equals(sst.crc32c())
                    ? List.of()
                    : List.of(where + "damaged: its checksum is " + found + ", not " + sst.crc32c());
        } catch (IOException e) {
            return List.of(where + "cannot be read: " + e.getMessage());
        }
    }
}
