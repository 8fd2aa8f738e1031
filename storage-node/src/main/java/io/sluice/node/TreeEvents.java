package io.sluice.node;

import io.sluice.node.compact.CompactionPick;
import io.sluice.node.compact.LsmFile;
import io.sluice.node.compact.TreeLog;
import io.sluice.node.lsm.LsmEvent;
import io.sluice.node.lsm.LsmEvents;
import io.sluice.node.lsm.SstShape;
import io.sluice.node.store.LiveSst;
import io.sluice.node.store.MergeResult;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What happens to the trees, written into the store's event log, and added up. */
final class TreeEvents implements TreeLog {
    private final LsmEvents events;
    private final LongAdder bytesMerged = new LongAdder();

    TreeEvents(LsmEvents events) {
        this.events = events;
    }

    @Override
    public void began(String family, List<LiveSst> files) {
        events.record(family, new LsmEvent.Snapshot(shapes(files)));
    }

    @Override
    public void came(String family, Cause cause, List<LiveSst> files) {
        List<SstShape> shapes = shapes(files);
        events.record(
                family,
                switch (cause) {
                    case INGESTED -> new LsmEvent.Ingest(shapes);
                    case FLUSHED -> new LsmEvent.Flush(shapes);
                    case DRAINED ->
                        new LsmEvent.Drain(
                                files.stream().mapToLong(LiveSst::entries).sum(), shapes);
                });
    }

    @Override
    public void put(String family, long kvs, long bytes) {
        events.record(family, new LsmEvent.Put(kvs, bytes));
    }

    @Override
    public void mergeBegan(String family, long job, CompactionPick pick) {
        List<String> inputs = pick.inputs().stream().map(LsmFile::name).toList();
        events.record(family, new LsmEvent.CompactionBegin(job, inputs, pick.outputLevel()));
    }

    @Override
    public void mergeEnded(String family, long job, MergeResult result, List<LiveSst> outputs) {
        bytesMerged.add(result.bytesWritten());
        events.record(family, new LsmEvent.CompactionEnd(job, result.inputs(), shapes(outputs)));
    }

    @Override
    public void mergePutOff(String family, long job) {
        events.record(
                family,
                new LsmEvent.Failure(job, "compaction", "put off: an SST was entering the same keys just then"));
    }

    @Override
    public void mergeFailed(String family, long job, CompactionPick pick, String reason, long againAfterMillis) {
        events.record(
                family,
                new LsmEvent.Failure(job, "compaction", reason + "; tried again in " + againAfterMillis + " ms"));
    }

    @Override
    public void drainFailed(String family, String reason, long againAfterMillis) {
        events.record(
                family, new LsmEvent.Failure(0, "drain", reason + "; tried again in " + againAfterMillis + " ms"));
    }

    @Override
    public void published(String family, String table) {
        events.record(family, table, new LsmEvent.Publish());
    }

    @Override
    public void dropped(String family) {
        events.record(family, new LsmEvent.Drop());
    }

    /** What all merges have written. */
    long bytesMerged() {
        return bytesMerged.sum();
    }

    private static List<SstShape> shapes(List<LiveSst> files) {
        return files.stream().map(SstShape::of).toList();
    }
}
