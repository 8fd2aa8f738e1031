package io.sluice.node.ingest;

import io.sluice.api.node.AppendPart;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableDigest;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The session of one attempt at an import. Usable by several threads. */
final class Attempt implements NodeSession {
    private final NodeImport running;
    private final Staging staging;
    private final long number;
    private volatile boolean detached;

    Attempt(NodeImport running, Staging staging, long number) {
        this.running = running;
        this.staging = staging;
        this.number = number;
    }

    @Override
    public Table table() {
        return running.table();
    }

    @Override
    public @Nullable UUID importId() {
        return running.opened().importId();
    }

    @Override
    public long attempt() {
        return number;
    }

    @Override
    public boolean resumed() {
        return number > 1;
    }

    @Override
    public boolean superseded() {
        return running.latestAttempt() > number;
    }

    @Override
    public IngestTiming timing() {
        return running.opened().timing();
    }

    @Override
    public RangeDirectory directory() {
        return running.directory(number);
    }

    @Override
    public void assign(RangeDirectory directory) {
        running.assign(number, directory);
    }

    @Override
    public Admission admit(SstFile announced, long epoch) {
        return running.admit(
                number,
                announced,
                epoch,
                (sst, cutFor, place) ->
                        new StagingRoom(running, number, sst, cutFor, place, staging.newPart(sst.id())));
    }

    @Override
    public Progress progress(UUID sst) {
        return running.progress(number, sst);
    }

    @Override
    public ShipAnswer ship(SstFile sst, long epoch) {
        return running.ship(number, sst, epoch, null);
    }

    @Override
    public ShipAnswer shuffle(ShuffleBatch batch, long epoch) {
        return running.shuffle(number, batch, epoch);
    }

    @Override
    public void putCheckpoint(String key, byte[] value) {
        running.putCheckpoint(number, key, value);
    }

    @Override
    public Map<String, byte[]> checkpoints() {
        return running.checkpoints(number);
    }

    @Override
    public IngestReport finalizeIngest() {
        return running.finalizeIngest(number);
    }

    @Override
    public List<IndexChecksum> present() {
        return running.present(number);
    }

    @Override
    public TableDigest readBack(List<KeySpan> spans) {
        return running.readBack(number, spans);
    }

    @Override
    public @Nullable AppendPart append() {
        return running.appendOf(number);
    }

    @Override
    public void renew() {
        running.renew(number);
    }

    @Override
    public void publish(List<IndexChecksum> imported) {
        running.publish(number, imported);
    }

    @Override
    public @Nullable ImportSession restart() {
        return running.restart(number);
    }

    @Override
    public void detach() {
        if (importId() == null) {
            throw new IllegalStateException("an import without an id cannot be detached: it cannot be resumed");
        }
        running.detach(number);
        detached = true;
    }

    @Override
    public void close() {
        if (!detached) {
            running.close(number);
        }
    }
}
