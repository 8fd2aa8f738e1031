package io.sluice.node.http;

import io.sluice.api.error.BadInputException;
import io.sluice.http.LimitCheck;
import io.sluice.http.ServerLimits;
import java.time.Duration;

/**
 * What a node takes at most, of everybody together and of each client.
 *
 * @param server what any server limits
 * @param uploads bodies of SSTs and batches being received at a time; more get 503
 * @param scans rows and logs being streamed at a time; more get 503
 * @param sstBytes an SST
 * @param batchBytes a batch of KVs, which is held in memory
 * @param uploadBytesPerSecond the pace an upload must keep on average
 * @param stepMillis how long a long step is waited for before 202 is answered; below the idle times of proxies
 */
public record NodeLimits(
        ServerLimits server,
        int uploads,
        int scans,
        long sstBytes,
        int batchBytes,
        long uploadBytesPerSecond,
        long stepMillis) {
    private static final long MILLIS_PER_SECOND = 1000;

    /**
     * Checks all limits.
     *
     * @throws BadInputException when some are not positive; the message lists all of those
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
     * For a node that a few importers use.
     *
     * <ul>
     *   <li>16 uploads: four importers with four each; every one holds at most 256 KiB of its body in memory, besides
     *       what the socket's windows hold.
     *   <li>headers of 64 KiB: the two keys of an SST are among them; of 14 KiB each, in hexadecimal, they are 56 KiB.
     *   <li>bodies of 2 MiB: the largest note, 1 MiB, or 1,024 SST ids, or the directory of 10,000 ranges.
     *   <li>64 KiB/s: an SST of 64 MiB then takes at most 17 minutes; slower is as good as gone.
     *   <li>20 s for a step: proxies commonly give up after 30 or 60.
     * </ul>
     */
    public static NodeLimits defaults() {
        return new NodeLimits(
                ServerLimits.defaults().withHeaderBytes(64 << 10), 16, 32, 4L << 30, 32 << 20, 64 << 10, 20_000);
    }

    /** Time enough for a body at the least pace that is borne with; its end may stall as long as a reader may. */
    Duration patience(long bodyBytes) {
        return Duration.ofMillis(
                server.stallMillis() + server.requestMillis() + bodyBytes * MILLIS_PER_SECOND / uploadBytesPerSecond);
    }

    /** With other limits of any server. */
    public NodeLimits withServer(ServerLimits other) {
        return new NodeLimits(other, uploads, scans, sstBytes, batchBytes, uploadBytesPerSecond, stepMillis);
    }

    /** With another time until 202 is answered. */
    public NodeLimits withStepMillis(long millis) {
        return new NodeLimits(server, uploads, scans, sstBytes, batchBytes, uploadBytesPerSecond, millis);
    }

    NodeLimits withPlaces(int forUploads, int forScans) {
        return new NodeLimits(server, forUploads, forScans, sstBytes, batchBytes, uploadBytesPerSecond, stepMillis);
    }

    NodeLimits withPace(long bytesPerSecond) {
        return new NodeLimits(server, uploads, scans, sstBytes, batchBytes, bytesPerSecond, stepMillis);
    }

    NodeLimits withSstBytes(long most) {
        return new NodeLimits(server, uploads, scans, most, batchBytes, uploadBytesPerSecond, stepMillis);
    }
}
