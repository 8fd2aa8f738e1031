package io.sluice.bench.gate;

import io.sluice.api.node.SstFile;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.Sorter;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the SSTs of an import with one reader, twice: every buffer as one SST, and the same buffer cut at keys that
 * are the same for all buffers of an index, as mode direct does. A buffer too small to be cut is one file with two
 * names.
 */
final class InputWriter implements AutoCloseable {
    /** As in mode direct. */
    private static final int MAX_PIECES = 16;

    private final Settings settings;
    private final Path wholeDirectory;
    private final Path cutDirectory;
    private final Items items;
    private final SstFormat format = new SstFormat();
    private final List<Input.Sst> whole = new ArrayList<>();
    private final List<Input.Sst> cut = new ArrayList<>();
    private final SortBuffer[] buffers;
    private final long[] firstRows;
    private final byte[][] @Nullable [] cuts;

    InputWriter(Settings settings, int tableId, Path wholeDirectory, Path cutDirectory) throws IOException {
        this.settings = settings;
        this.wholeDirectory = Files.createDirectories(wholeDirectory);
        this.cutDirectory = Files.createDirectories(cutDirectory);
        items = new Items(
                tableId, settings.input().primaryInOrder(), settings.input().seed());
        Sorter sorter = new Sorter();
        buffers = new SortBuffer[items.indexes()];
        for (int i = 0; i < buffers.length; i++) {
            int bytes = i == 0
                    ? settings.input().primaryBufferBytes()
                    : settings.input().secondaryBufferBytes();
            buffers[i] = new SortBuffer(bytes, bytes, sorter);
        }
        firstRows = new long[buffers.length];
        cuts = new byte[buffers.length][][];
    }

    /** Writes everything. */
    void run() throws IOException {
        long rows = Items.rows(settings.input().kvBytes());
        for (long row = 0; row < rows; row++) {
            items.select(row);
            for (int i = 0; i < buffers.length; i++) {
                SortBuffer buffer = buffers[i];
                byte[] arena = buffer.room(items.maxBytes(i));
                buffer.added(items.encode(i, arena, buffer.position()));
                if (buffer.isFull()) {
                    flush(i, row + 1);
                }
            }
        }
        for (int i = 0; i < buffers.length; i++) {
            flush(i, rows);
        }
        Input.write(wholeDirectory, whole);
        Input.write(cutDirectory, cut);
    }

    private void flush(int ordinal, long endRow) throws IOException {
        SortBuffer buffer = buffers[ordinal];
        if (buffer.isEmpty()) {
            return;
        }
        buffer.sort();
        long firstRow = firstRows[ordinal];
        Input.Sst all =
                Input.Sst.of(write(ordinal, wholeDirectory, new byte[0][]).get(0), firstRow, endRow);
        whole.add(all);
        byte[][] at = cuts(ordinal);
        if (at.length == 0) {
            Files.createLink(cutDirectory.resolve(all.fileName()), wholeDirectory.resolve(all.fileName()));
            cut.add(all);
        } else {
            for (SstFile piece : write(ordinal, cutDirectory, at)) {
                cut.add(Input.Sst.of(piece, firstRow, endRow));
            }
        }
        buffer.clear();
        firstRows[ordinal] = endRow;
    }

    private byte[][] cuts(int ordinal) {
        byte[][] known = cuts[ordinal];
        if (known == null) {
            SortBuffer buffer = buffers[ordinal];
            int pieces = Math.max(
                    1, Math.min(MAX_PIECES, buffer.bytes() / settings.input().pieceBytes()));
            known = new byte[pieces - 1][];
            for (int i = 1; i < pieces; i++) {
                known[i - 1] = buffer.key((int) ((long) buffer.count() * i / pieces));
            }
            cuts[ordinal] = known;
        }
        return known;
    }

    private List<SstFile> write(int ordinal, Path directory, byte[][] at) throws IOException {
        Pieces pieces = new Pieces(ordinal, directory, at);
        buffers[ordinal].drainTo(pieces::add);
        pieces.finish();
        return pieces.done;
    }

    @Override
    public void close() {
        format.close();
    }

    /** A sorted stream on its way into SSTs. */
    private final class Pieces {
        private final int ordinal;
        private final Path directory;
        private final byte[][] at;
        private final List<SstFile> done = new ArrayList<>();
        private int next;
        private @Nullable SstBuilder open;

        Pieces(int ordinal, Path directory, byte[][] at) {
            this.ordinal = ordinal;
            this.directory = directory;
            this.at = at;
        }

        void add(byte[] buffer, int key, int keyLength, int valueLength) throws IOException {
            while (next < at.length
                    && Arrays.compareUnsigned(buffer, key, key + keyLength, at[next], 0, at[next].length) >= 0) {
                next++;
                finish();
            }
            SstBuilder builder = open;
            if (builder == null) {
                builder = new SstBuilder(directory, items.digest(ordinal), format);
                open = builder;
            }
            builder.add(buffer, key, keyLength, valueLength);
        }

        void finish() throws IOException {
            SstBuilder builder = open;
            open = null;
            if (builder != null) {
                try (builder) {
                    done.add(builder.finish());
                }
            }
        }
    }
}
