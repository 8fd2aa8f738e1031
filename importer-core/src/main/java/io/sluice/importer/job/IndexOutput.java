package io.sluice.importer.job;

import io.sluice.importer.sst.SstBuilder;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;

/** Takes the KVs of one index from all workers. */
abstract class IndexOutput implements BufferSink, AutoCloseable {
    /** Least size of a streamed SST: a smaller buffer waits for more KVs, since its SST would be one of very many. */
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

    /** Bytes of runs that were spilled because they did not fit the memory. */
    abstract long spilledBytes();

    @Override
    public final int ordinal() {
        return ordinal;
    }

    final int indexId() {
        return digest.indexId();
    }

    /** Computes the checksums of this index's KVs. */
    final IndexDigest digest() {
        return digest;
    }

    final ImportContext context() {
        return context;
    }

    /** Creates an SST for KVs of this index. */
    final SstBuilder newSst() throws IOException {
        context.progress().sstBegun();
        return new SstBuilder(context.settings().workDirectory(), digest, context.sstFormat());
    }

    /** Adds to the checksum of the repeated KVs, which were not passed on. */
    final synchronized void held(KvChecksum sum) {
        heldBack = heldBack.plus(sum);
    }

    final synchronized KvChecksum heldBack() {
        return heldBack;
    }

    @Override
    public abstract void close() throws IOException;
}
