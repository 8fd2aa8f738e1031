package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.KvCrc;
import io.sluice.api.schema.Table;
import io.sluice.node.store.Family;
import io.sluice.node.store.FamilyView;
import io.sluice.node.store.KvCursor;
import io.sluice.node.store.ReadPattern;
import io.sluice.node.store.SstWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a landing column family that writes what is in it, in key order, to SSTs that are not wide: none holds
 * KVs of two indexes, each ends at its size, and from an eighth of that on it ends where a stack of the tree begins, so
 * that it does not tie stacks together that could be merged side by side. For one thread.
 */
final class SmallSstFlush {
    /** KVs between looks at whether the store is being closed. */
    private static final int BATCH_KVS = 2048;

    private final Table table;
    private final long sstBytes;
    private final long leastBytes;
    private final Supplier<Path> nextPath;
    private final BooleanSupplier over;
    private final List<Piece> pieces = new ArrayList<>();
    private @Nullable SstWriter open;
    private byte[] first = {};
    private byte[] last = {};
    private Iterator<byte[]> cuts = List.<byte[]>of().iterator();
    private byte @Nullable [] nextCut;
    private boolean cutPassed;

    /**
     * An SST that was written.
     *
     * @param first its first key
     * @param last its last key
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Piece(Path path, byte[] first, byte[] last) {}

    /**
     * A pass.
     *
     * @param table what is imported
     * @param sstBytes KVs at which an SST ends
     * @param nextPath names files
     * @param over whether nobody wants the SSTs any more
     */
    SmallSstFlush(Table table, long sstBytes, Supplier<Path> nextPath, BooleanSupplier over) {
        this.table = table;
        this.sstBytes = sstBytes;
        this.nextPath = nextPath;
        this.over = over;
        leastBytes = sstBytes / 8;
    }

    /**
     * Writes the SSTs.
     *
     * @param indexes spans of the table's indexes, in key order
     * @param cutsAt keys at which stacks begin, ascending
     * @return what was written; after an exception, ask {@link #pieces}
     * @throws OperationFailedException when a KV does not agree with its checksum
     */
    List<Piece> run(Family landing, List<KeySpan> indexes, List<byte[]> cutsAt) {
        cuts = cutsAt.iterator();
        nextCut = cuts.hasNext() ? cuts.next() : null;
        try (FamilyView view = landing.latest()) {
            for (KeySpan index : indexes) {
                try (KvCursor cursor = view.cursor(index, ReadPattern.SWEEP)) {
                    while (cursor.visit(BATCH_KVS, this::add) > 0) {
                        if (over.getAsBoolean()) {
                            throw new OperationFailedException("the import ended before its small SSTs were drained");
                        }
                    }
                }
                finish();
            }
        } finally {
            abandon();
        }
        return pieces;
    }

    /** What was begun so far. */
    List<Piece> pieces() {
        return pieces;
    }

    private void add(byte[] key, byte[] value) {
        if (!KvCrc.matches(key, value)) {
            throw damaged(key);
        }
        passCuts(key);
        SstWriter writer = open;
        if (writer != null && (writer.bytes() >= sstBytes || (cutPassed && writer.bytes() >= leastBytes))) {
            finish();
            writer = null;
        }
        if (writer == null) {
            writer = new SstWriter(nextPath.get());
            open = writer;
            first = key;
        }
        cutPassed = false;
        writer.add(key, value);
        last = key;
    }

    private OperationFailedException damaged(byte[] key) {
        IndexKeys keys = new IndexKeys(table);
        int ordinal = 0;
        while (ordinal + 1 < table.indexes().size() && !keys.span(ordinal).contains(key)) {
            ordinal++;
        }
        return IndexDigest.of(table, ordinal).damaged(key, 0, key.length, "the SST that small ones were drained to");
    }

    private void passCuts(byte[] key) {
        byte[] cut = nextCut;
        while (cut != null && Arrays.compareUnsigned(cut, key) <= 0) {
            cutPassed = true;
            cut = cuts.hasNext() ? cuts.next() : null;
        }
        nextCut = cut;
    }

    private void finish() {
        SstWriter writer = open;
        if (writer != null) {
            pieces.add(new Piece(writer.path(), first, last));
            open = null;
            try (writer) {
                writer.finish();
            }
        }
    }

    private void abandon() {
        SstWriter writer = open;
        if (writer != null) {
            open = null;
            pieces.add(new Piece(writer.path(), first, last));
            writer.close();
        }
    }
}
