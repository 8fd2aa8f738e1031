package io.sluice.importer.sst;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.SstFile;
import io.sluice.api.schema.Table;
import io.sluice.importer.sort.RunCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
     * A cutter.
     *
     * @param directory where the pieces go
     * @param table whose SSTs they are
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
     * The pieces of an SST between keys, ascending, each with an id of its own. The SST's file is removed.
     *
     * @throws IOException when it cannot be read or a piece not be written; then no piece is left
     */
    public List<SstFile> cut(SstFile sst, List<byte[]> keys) throws IOException {
        List<byte[]> inside = keys.stream().filter(key -> divides(sst, key)).toList();
        List<SstFile> pieces = new ArrayList<>();
        try (SstRun run = new SstRun(sst)) {
            byte[] from = null;
            for (byte[] to : inside) {
                addPiece(run, sst.indexId(), from, to, pieces);
                from = to;
            }
            addPiece(run, sst.indexId(), from, null, pieces);
            KvChecksum sum = pieces.stream().map(SstFile::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
            if (!sum.equals(sst.sum())) {
                throw new OperationFailedException("an SST of " + sst.sum().count() + " KVs was cut into pieces of "
                        + sum.count() + " KVs that add up to something else; the work directory's disk is damaged");
            }
            return pieces;
        } catch (IOException | RuntimeException e) {
            for (SstFile piece : pieces) {
                Files.deleteIfExists(piece.path());
            }
            throw e;
        }
    }

    private IndexDigest index(int id) {
        return indexes.stream().filter(each -> each.indexId() == id).findFirst().orElseThrow();
    }

    private void addPiece(SstRun run, int indexId, byte @Nullable [] from, byte @Nullable [] to, List<SstFile> pieces)
            throws IOException {
        try (SstBuilder builder = new SstBuilder(directory, index(indexId), format);
                RunCursor cursor = run.cursor(from, to)) {
            while (cursor.advance()) {
                builder.add(cursor.buffer(), cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
            }
            if (!builder.isEmpty()) {
                pieces.add(builder.finish());
            }
        }
    }
}
