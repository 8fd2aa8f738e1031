package io.sluice.node.ingest;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.Checkpoints;
import io.sluice.node.catalog.FencingToken;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.read.TableSweep;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The session of a published import, for a client that has not learned of the publication. Repeated later steps do
 * nothing, checkpoint records can be read, and SSTs are refused.
 */
final class PublishedImport implements NodeSession {
    private final ImportContext context;
    private final TableRecord published;
    private final FencingToken claim;

    PublishedImport(ImportContext context, TableRecord published, FencingToken claim) {
        this.context = context;
        this.published = published;
        this.claim = claim;
    }

    @Override
    public Table table() {
        return published.table();
    }

    @Override
    public @Nullable UUID importId() {
        return claim.importId();
    }

    @Override
    public long attempt() {
        return claim.attempt();
    }

    @Override
    public boolean resumed() {
        return true;
    }

    @Override
    public boolean superseded() {
        return false;
    }

    /** The timing is irrelevant, because the import takes no more SSTs. */
    @Override
    public IngestTiming timing() {
        return IngestTiming.AT_END;
    }

    @Override
    public RangeDirectory directory() {
        return published.directory();
    }

    @Override
    public void assign(RangeDirectory directory) {
        RangeDirectory known = published.directory();
        // If a node was lost while the others published, the entry of the log that leaves it out moves the table.
        boolean leavesOut = directory.epoch() > known.epoch() && directory.refines(known);
        if (!leavesOut && !directory.equals(known)) {
            throw over();
        }
    }

    @Override
    public Admission admit(SstFile announced, long epoch) {
        throw over();
    }

    /** Unknown for all SSTs: the publication removed the receipts. */
    @Override
    public Progress progress(UUID sst) {
        return Progress.UNKNOWN;
    }

    @Override
    public ShipAnswer ship(SstFile sst, long epoch) {
        throw over();
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch, long epoch) {
        throw over();
    }

    @Override
    public void putCheckpoint(String key, byte[] value) {
        throw over();
    }

    @Override
    public Map<String, byte[]> checkpoints() {
        return new Checkpoints(context.store(), published.table().id()).all();
    }

    @Override
    public IngestReport finalizeIngest() {
        List<LsmFile> live = context.store().family(published.family()).files();
        return new IngestReport(0, 0, LsmShape.maxHeight(live), LsmShape.filesInLevel0(live), 0, 0, 0);
    }

    @Override
    public List<IndexChecksum> present() {
        return published.imported();
    }

    @Override
    public TableDigest readBack(List<KeySpan> spans) {
        return TableSweep.digest(
                context.store().family(published.family()), published.table(), spans, context.readThreads());
    }

    @Override
    public void renew() {}

    @Override
    public void publish(List<IndexChecksum> imported) {}

    @Override
    public void detach() {}

    @Override
    public void close() {}

    private OperationFailedException over() {
        return new OperationFailedException("import " + claim.importId() + " is over: table "
                + published.table().name() + " is published, and it takes no more SSTs");
    }
}
