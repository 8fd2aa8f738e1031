package io.sluice.importer.job.output;

import io.sluice.importer.job.resume.CheckpointUnit;
import io.sluice.importer.sort.KvSink;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.UniqueSink;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;

/** Takes the KVs of one index from the sort buffers of all workers. Usable by several threads. */
public abstract class IndexOutput implements AutoCloseable {
    /** Least size of a streamed SST: a smaller buffer waits for more KVs, since its SST would be one of very many. */
    public static final int MIN_STREAMED_BYTES = 1 << 20;

    private final int ordinal;
    private final ImportContext context;
    private final IndexDigest digest;
    private KvChecksum heldBack = KvChecksum.EMPTY;

    IndexOutput(int ordinal, ImportContext context) {
        this.ordinal = ordinal;
        this.context = context;
        digest = IndexDigest.of(context.table(), ordinal);
    }

    /** Takes a worker's buffer at the end of a split, unless the buffer is to wait for more KVs. */
    abstract void splitEnded(SortBuffer buffer, CheckpointUnit unit) throws IOException, InterruptedException;

    /**
     * Takes all KVs of a worker's buffer; the buffer is empty afterwards.
     *
     * @param unit the checkpoint unit of the KVs; counts what the nodes accept, if the KVs go to the nodes at once
     */
    abstract void take(SortBuffer buffer, CheckpointUnit unit) throws IOException, InterruptedException;

    /** Bytes of runs that were spilled because they did not fit the memory. */
    public long spilledBytes() {
        return 0;
    }

    /** Position of the index in the table. */
    public final int ordinal() {
        return ordinal;
    }

    final String indexName() {
        return context.table().indexes().get(ordinal).def().name();
    }

    final int indexId() {
        return digest.indexId();
    }

    /** Computes the checksums of this index's KVs. */
    public final IndexDigest digest() {
        return digest;
    }

    final ImportContext context() {
        return context;
    }

    /** Creates an SST for KVs of this index. */
    final SstBuilder newSst() throws IOException {
        return new SstBuilder(context.settings().resources().workDirectory(), digest, context.sstFormat());
    }

    /** Passes on the first KV of every key; returns the checksum of the repeated KVs, which are held back. */
    final KvChecksum passOn(Kvs kvs, KvSink sink) throws IOException {
        UniqueSink unique = new UniqueSink(sink, digest, ordinal, context.conflicts());
        kvs.into(unique);
        KvChecksum repeated = unique.finish();
        synchronized (this) {
            heldBack = heldBack.plus(repeated);
        }
        return repeated;
    }

    /** KVs of the index in the order of their keys. */
    interface Kvs {
        void into(KvSink sink) throws IOException;
    }

    public final synchronized KvChecksum heldBack() {
        return heldBack;
    }

    @Override
    public void close() throws IOException {}
}
