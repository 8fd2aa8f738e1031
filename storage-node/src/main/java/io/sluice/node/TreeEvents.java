package io.sluice.node;

import io.sluice.engine.compact.CompactionPick;
import io.sluice.engine.compact.TreeLog;
import io.sluice.engine.lsm.LsmEvent;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.MergeResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Writes the events of all LSM trees into the store's event log, and counts the bytes that compactions write. */
final class TreeEvents implements TreeLog {
    private final LsmEvents events;
    /**
     * The table that an import fills, by column family: a client that watches the import asks for events of that table.
     */
    private final Map<String, String> filling = new ConcurrentHashMap<>();

    private final LongAdder bytesMerged = new LongAdder();

    TreeEvents(LsmEvents events) {
        this.events = events;
    }

    @Override
    public void began(String family, List<LsmFile> files) {
        record(family, new LsmEvent.Snapshot(uncounted(files)));
    }

    @Override
    public void came(String family, Cause cause, List<LsmFile> files) {
        List<LsmFile> uncounted = uncounted(files);
        record(
                family,
                switch (cause) {
                    case INGESTED -> new LsmEvent.Ingest(uncounted);
                    case FLUSHED -> new LsmEvent.Flush(uncounted);
                    case SMALL_SST_FLUSH ->
                        new LsmEvent.SmallSstFlush(
                                files.stream().mapToLong(LsmFile::entries).sum(), uncounted);
                });
    }

    @Override
    public void put(String family, long kvs, long bytes) {
        record(family, new LsmEvent.Put(kvs, bytes));
    }

    @Override
    public void mergeBegan(String family, long job, CompactionPick pick) {
        List<String> inputs = pick.inputs().stream().map(LsmFile::name).toList();
        record(family, new LsmEvent.CompactionBegin(job, inputs, pick.outputLevel()));
    }

    @Override
    public void mergeEnded(String family, long job, MergeResult result, List<LsmFile> outputs) {
        bytesMerged.add(result.bytesWritten());
        record(family, new LsmEvent.CompactionEnd(job, result.inputs(), uncounted(outputs)));
    }

    @Override
    public void mergePutOff(String family, long job) {
        record(family, new LsmEvent.Failure(job, "compaction", "put off: an SST was entering the same keys just then"));
    }

    @Override
    public void mergeFailed(String family, long job, CompactionPick pick, String reason, long againAfterMillis) {
        record(
                family,
                new LsmEvent.Failure(job, "compaction", reason + "; tried again in " + againAfterMillis + " ms"));
    }

    @Override
    public void smallSstFlushFailed(String family, String reason, long againAfterMillis) {
        record(family, new LsmEvent.Failure(0, "drain", reason + "; tried again in " + againAfterMillis + " ms"));
    }

    @Override
    public void filling(String family, String table) {
        filling.put(family, table);
    }

    @Override
    public void published(String family, String table) {
        events.record(family, table, new LsmEvent.Publish());
        filling.remove(family, table);
    }

    @Override
    public void dropped(String family) {
        record(family, new LsmEvent.Drop());
        filling.remove(family);
    }

    /** Bytes that all compactions have written. */
    long bytesMerged() {
        return bytesMerged.sum();
    }

    private void record(String family, LsmEvent event) {
        events.record(family, filling.get(family), event);
    }

    /** The files without their entries: metadata says 0 for files that RocksDB has not opened yet. */
    private static List<LsmFile> uncounted(List<LsmFile> files) {
        return files.stream().map(file -> file.withEntries(LsmFile.UNKNOWN)).toList();
    }
}
