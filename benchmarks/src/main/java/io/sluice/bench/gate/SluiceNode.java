package io.sluice.bench.gate;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.bench.ProcessIo;
import io.sluice.engine.compact.SublevelMap;
import io.sluice.engine.store.FamilyNames;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
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
        throttle =
                settings.disk().mbps() > 0 ? new MergeThrottle(settings.disk().mbps() * 1_000_000L) : null;
        NodeSettings defaults = NodeSettings.defaults()
                .withBlockCacheBytes(Trees.BLOCK_CACHE_BYTES)
                .withIngest(NodeSettings.defaults().ingest().withSmallSstBytes(settings.smallSstBytes()));
        node = StorageNode.open(directory, throttle == null ? defaults : defaults.withFaults(throttle));
        session = node.beginImport(ImportRequest.of(Items.DEF, IngestTiming.ON_ARRIVAL));
        observer = new Observer(
                directory.resolve("db"),
                directory.resolveSibling("observer"),
                FamilyNames.ofTable(session.table().id()));
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

    /**
     * A slow disk for the storage node, which has no rate limiter: whatever this process has written is a debt, and
     * before the next merge begins it must be paid off at the disk's rate. What was not used is not saved up. Coarser
     * than the limiter of RocksDB that stock nodes get, a merge at a time instead of a block, and the same in sum;
     * stricter in that it counts the log too.
     */
    private static final class MergeThrottle implements FaultPoints {
        private final double bytesPerNano;
        private long lastWritten = ProcessIo.bytesWritten();
        private long lastNanos = System.nanoTime();
        private long paidNanos = lastNanos;

        MergeThrottle(long bytesPerSecond) {
            bytesPerNano = bytesPerSecond / 1e9;
        }

        @Override
        public void reached(String point) {
            if (point.equals(MERGE)) {
                Deadline.pause(owedMillis());
            }
        }

        /** Waits until all is paid. */
        void payAll(Deadline patience) {
            long owed = owedMillis();
            while (owed > 0) {
                patience.sleep(Math.min(owed, 100));
                owed = owedMillis();
            }
        }

        private synchronized long owedMillis() {
            long now = System.nanoTime();
            long written = ProcessIo.bytesWritten();
            long from = paidNanos - lastNanos > 0 ? paidNanos : lastNanos;
            paidNanos = from + (long) ((written - lastWritten) / bytesPerNano);
            lastWritten = written;
            lastNanos = now;
            return Math.max(0, (paidNanos - now) / 1_000_000);
        }
    }
}
