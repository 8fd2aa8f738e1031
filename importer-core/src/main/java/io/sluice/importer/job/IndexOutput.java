package io.sluice.importer.job;

import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.KvChecksum;
import io.sluice.importer.sst.SstBuilder;
import java.io.IOException;

/** Where the KVs of one index go, from all workers. */
abstract class IndexOutput implements BufferSink, AutoCloseable {
    /** A smaller buffer waits for more: an SST of its own would be one of very many. */
    static final int MIN_STREAMED_BYTES = 1 << 20;

    private final int ordinal;
    private final ImportContext context;
    private final IndexDigest digest;
    private KvChecksum heldBack = KvChecksum.EMPTY;

    IndexOutput(int ordinal, ImportContext context) {
        this.ordinal = ordinal;
        this.context = context;
        digest = IndexDigest.of(context.table(), ordinal);
    }

    /** Bytes written to files because they did not fit the memory. */
    abstract long spilledBytes();

    @Override
    public final int ordinal() {
        return ordinal;
    }

    final int indexId() {
        return digest.indexId();
    }

    /** How the index's KVs add up. */
    final IndexDigest digest() {
        return digest;
    }

    final ImportContext context() {
        return context;
    }

    /** A new SST for KVs of this index. */
    final SstBuilder newSst() throws IOException {
        context.progress().sstBegun();
        return new SstBuilder(context.settings().workDirectory(), digest, context.sstFormat());
    }

    /** Adds to the sum of KVs that were not passed on because their key had come before. */
    final synchronized void held(KvChecksum sum) {
        heldBack = heldBack.plus(sum);
    }

    final synchronized KvChecksum heldBack() {
        return heldBack;
    }

    @Override
    public abstract void close() throws IOException;
}
