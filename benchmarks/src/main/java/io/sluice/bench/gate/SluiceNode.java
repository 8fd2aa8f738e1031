package io.sluice.bench.gate;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.compact.SublevelMap;
import io.sluice.engine.store.RocksStore;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The storage node as it is, with a session that ingests on arrival. Metadata is its own: the receipt of every SST,
 * synced, in its own column family; no client can write metadata.
 */
final class SluiceNode implements Node {
    private final StorageNode node;
    private final ImportSession session;
    private final Observer observer;
    private final @Nullable MergeThrottle throttle;
    private volatile @Nullable IngestReport report;

    SluiceNode(Path directory, Settings settings) throws RocksDBException {
        throttle = settings.diskMbps() > 0 ? new MergeThrottle(settings.diskMbps() * 1_000_000L) : null;
        NodeSettings defaults = NodeSettings.defaults()
                .withBlockCacheBytes(Trees.BLOCK_CACHE_BYTES)
                .withIngest(NodeSettings.defaults().ingest().withSmallSstBytes(settings.smallSstBytes()));
        node = StorageNode.open(directory, throttle == null ? defaults : defaults.withFaults(throttle));
        session = node.beginImport(ImportRequest.of(Items.DEF, IngestTiming.ON_ARRIVAL));
        observer = new Observer(
                directory.resolve("db"),
                directory.resolveSibling("observer"),
                RocksStore.familyOfTable(session.table().id()));
    }

    /** The id that the table of a fresh node gets. */
    static int tableId(Path directory) {
        try (StorageNode node = StorageNode.open(directory, NodeSettings.defaults());
                ImportSession session = node.beginImport(ImportRequest.of(Items.DEF, IngestTiming.ON_ARRIVAL))) {
            return session.table().id();
        }
    }

    @Override
    public long take(SstFile sst, Deadline patience) {
        long begun = System.nanoTime();
        long waited = 0;
        while (true) {
            patience.check();
            ShipAnswer answer = session.ship(sst);
            if (answer instanceof ShipAnswer.Taken) {
                return waited;
            }
            if (answer instanceof ShipAnswer.Refused refused) {
                throw new IllegalStateException("refused: " + refused.reason());
            }
            if (answer instanceof ShipAnswer.Deferred deferred) {
                patience.sleep(deferred.afterMillis());
                waited = System.nanoTime() - begun;
            }
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return observer.get(key);
    }

    @Override
    public SublevelMap tree() {
        return observer.tree();
    }

    @Override
    public boolean putMetadata(byte[] key, byte[] value) {
        return false;
    }

    @Override
    public void flushMetadata() {
        // There is none.
    }

    @Override
    public void finalizeIngest(Deadline patience) {
        CompletableFuture<IngestReport> settling = CompletableFuture.supplyAsync(session::finalizeIngest);
        while (report == null) {
            patience.check();
            try {
                report = settling.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // Check the clock again.
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        if (throttle != null) {
            throttle.payAll(patience);
        }
    }

    /** Checksums of the node's KVs, per index. */
    List<IndexChecksum> present() {
        return session.present();
    }

    @Override
    public long bytesWritten() {
        IngestReport settled = report;
        return settled == null ? -1 : settled.bytesWritten();
    }

    @Override
    public int tallestSeen() {
        IngestReport settled = report;
        return settled == null ? 0 : settled.maxHeight();
    }

    @Override
    public void close() {
        observer.close();
        session.close();
        node.close();
    }
}
