package io.sluice.node.http;

import io.sluice.http.ServerLimits;
import io.sluice.http.ServerLimits.LimitCheck;
import io.sluice.model.error.BadInputException;
import java.time.Duration;

/**
 * Limits of a node's HTTP API, in total and per client.
 *
 * @param server limits common to all servers
 * @param uploads concurrent bodies of SSTs and batches; more get 503
 * @param scans concurrent streams of rows and logs; more get 503
 * @param sstBytes size of an SST
 * @param batchBytes size of a batch of KVs, which is held in memory
 * @param uploadBytesPerSecond minimum average rate of an upload
 * @param stepMillis how long a request waits for a long-running operation before it answers 202; less than the idle
 *     timeout of proxies
 * @param sources where the node may read SSTs itself
 */
public record NodeLimits(
        ServerLimits server,
        int uploads,
        int scans,
        long sstBytes,
        int batchBytes,
        long uploadBytesPerSecond,
        long stepMillis,
        SstSources sources) {
    private static final long MILLIS_PER_SECOND = 1000;

    /**
     * Validates all limits.
     *
     * @throws BadInputException if any is not positive; the message lists all of them
     */
    public NodeLimits {
        new LimitCheck()
                .positive("uploads", uploads)
                .positive("scans", scans)
                .positive("SST bytes", sstBytes)
                .positive("batch bytes", batchBytes)
                .positive("upload pace", uploadBytesPerSecond)
                .positive("step time", stepMillis)
                .done();
    }

    /**
     * Returns limits for a node that a few importers use.
     *
     * <ul>
     *   <li>16 uploads: four importers with four each. Each upload holds at most 512 KiB of its body in memory, plus
     *       the socket's window.
     *   <li>headers of 64 KiB: they contain the two bounds of an SST. Two keys of 14 KiB take 56 KiB in hexadecimal.
     *   <li>bodies of 2 MiB: the largest checkpoint record, 1 MiB, or 1,024 SST ids, or a directory of 10,000 ranges.
     *   <li>64 KiB/s: an SST of 64 MiB takes at most 17 minutes; a slower sender counts as dead.
     *   <li>20 s for an operation: proxies commonly time out after 30 s or 60 s.
     * </ul>
     */
    public static NodeLimits defaults() {
        return new NodeLimits(
                ServerLimits.defaults().withHeaderBytes(64 << 10),
                16,
                32,
                4L << 30,
                32 << 20,
                64 << 10,
                20_000,
                SstSources.NONE);
    }

    /** Timeout for a body at the minimum rate, plus the time for a stall and for the request itself. */
    Duration bodyTimeout(long bodyBytes) {
        return Duration.ofMillis(
                server.stallMillis() + server.requestMillis() + bodyBytes * MILLIS_PER_SECOND / uploadBytesPerSecond);
    }

    /** Returns a copy with other server limits. */
    public NodeLimits withServer(ServerLimits other) {
        return new NodeLimits(other, uploads, scans, sstBytes, batchBytes, uploadBytesPerSecond, stepMillis, sources);
    }

    /** Returns a copy with another time until a request answers 202. */
    public NodeLimits withStepMillis(long millis) {
        return new NodeLimits(server, uploads, scans, sstBytes, batchBytes, uploadBytesPerSecond, millis, sources);
    }

    /** Returns a copy with other sources of SSTs. */
    public NodeLimits withSources(SstSources other) {
        return new NodeLimits(server, uploads, scans, sstBytes, batchBytes, uploadBytesPerSecond, stepMillis, other);
    }

    NodeLimits withPlaces(int forUploads, int forScans) {
        return new NodeLimits(
                server, forUploads, forScans, sstBytes, batchBytes, uploadBytesPerSecond, stepMillis, sources);
    }

    NodeLimits withPace(long bytesPerSecond) {
        return new NodeLimits(server, uploads, scans, sstBytes, batchBytes, bytesPerSecond, stepMillis, sources);
    }

    NodeLimits withSstBytes(long most) {
        return new NodeLimits(server, uploads, scans, most, batchBytes, uploadBytesPerSecond, stepMillis, sources);
    }
}
