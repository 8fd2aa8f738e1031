package io.sluice.node.ingest;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.engine.store.SstWriter;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvCrc;
import io.sluice.model.schema.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a small-SST buffer that writes its KVs in key order to SSTs with narrow key spans. No SST holds KVs of
 * two indexes, and each ends at its size. From an eighth of its size on, an SST ends where a stack of the tree begins,
 * so that it does not join stacks that could be compacted in parallel. For one thread.
 */
final class SmallSstFlush {
    /** KVs between checks whether the import ended or the store closes. */
    private static final int BATCH_KVS = 2048;

    private final Table table;
    private final long sstBytes;
    private final long leastBytes;
    private final Supplier<Path> nextPath;
    private final BooleanSupplier over;
    private final List<OutputFile> outputs = new ArrayList<>();
    private @Nullable SstWriter open;
    private byte[] first = {};
    private byte[] last = {};
    private Iterator<byte[]> cuts = List.<byte[]>of().iterator();
    private byte @Nullable [] nextCut;
    private boolean cutPassed;

    /**
     * An output file.
     *
     * @param first its first key
     * @param last its last key
     */
    @SuppressWarnings("ArrayRecordComponent")
    record OutputFile(Path path, byte[] first, byte[] last) {}

    /**
     * Creates a pass.
     *
     * @param table the imported table
     * @param sstBytes bytes of KVs at which an SST ends
     * @param nextPath supplies paths of new files
     * @param over whether the import has ended or the store closes
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
     * @return the output files; after an exception, {@link #outputs} returns them
     * @throws OperationFailedException when a KV does not match its checksum
     */
    List<OutputFile> run(Family buffer, List<KeySpan> indexes, List<byte[]> cutsAt) {
        cuts = cutsAt.iterator();
        nextCut = cuts.hasNext() ? cuts.next() : null;
        try (FamilyView view = buffer.latest()) {
            for (KeySpan index : indexes) {
                try (KvCursor cursor = view.cursor(index, ReadPattern.SWEEP)) {
                    while (cursor.visit(BATCH_KVS, this::add) > 0) {
                        if (over.getAsBoolean()) {
                            throw new OperationFailedException("the import ended before its small SSTs were flushed");
                        }
                    }
                }
                finish();
            }
        } finally {
            abandon();
        }
        return outputs;
    }

    /** All output files begun so far. */
    List<OutputFile> outputs() {
        return outputs;
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
        return IndexDigest.of(table, ordinal).damaged(key, 0, key.length, "the SST that small ones were flushed to");
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
            outputs.add(new OutputFile(writer.path(), first, last));
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
            outputs.add(new OutputFile(writer.path(), first, last));
            writer.close();
        }
    }
}
