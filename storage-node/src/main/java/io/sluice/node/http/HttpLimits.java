package io.sluice.node.http;

import io.sluice.api.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * What one server takes at most, of everybody together and of each client.
 *
 * @param connections open at a time; more are closed at once
 * @param uploads bodies of SSTs and batches being received at a time; more get 503
 * @param scans rows and logs being streamed at a time; more get 503
 * @param waitingRequests that have not found a thread; more get 503
 * @param headerBytes all headers of a request; the two keys of an SST are among them, two digits a byte
 * @param jsonBytes a body that is not an SST or a batch
 * @param sstBytes an SST
 * @param batchBytes a batch of KVs, which is held in memory
 * @param requestMillis how long a request with a small body may take
 * @param idleMillis how long a connection may have no request under way, however many bytes trickle in
 * @param stallMillis how long a reader may leave rows unread; the grace that an upload's pace has
 * @param uploadBytesPerSecond the pace an upload must keep on average
 * @param stepMillis how long a long step is waited for before 202 is answered; below the idle times of proxies
 * @param drainMillis how long closing waits for requests under way
 */
public record HttpLimits(
        int connections,
        int uploads,
        int scans,
        int waitingRequests,
        int headerBytes,
        int jsonBytes,
        long sstBytes,
        int batchBytes,
        long requestMillis,
        long idleMillis,
        long stallMillis,
        long uploadBytesPerSecond,
        long stepMillis,
        long drainMillis) {
    /**
     * Checks all limits.
     *
     * @throws BadInputException when some are not positive; the message lists all of those
     */
    public HttpLimits {
        List<String> wrong = new ArrayList<>();
        require(wrong, "connections", connections);
        require(wrong, "uploads", uploads);
        require(wrong, "scans", scans);
        require(wrong, "waiting requests", waitingRequests);
        require(wrong, "header bytes", headerBytes);
        require(wrong, "JSON bytes", jsonBytes);
        require(wrong, "SST bytes", sstBytes);
        require(wrong, "batch bytes", batchBytes);
        require(wrong, "request time", requestMillis);
        require(wrong, "idle time", idleMillis);
        require(wrong, "stall time", stallMillis);
        require(wrong, "upload pace", uploadBytesPerSecond);
        require(wrong, "step time", stepMillis);
        require(wrong, "drain time", drainMillis + 1);
        if (!wrong.isEmpty()) {
            throw new BadInputException("limits of the server: " + String.join(", ", wrong) + ": must be positive");
        }
    }

    private static void require(List<String> wrong, String name, long value) {
        if (value < 1) {
            wrong.add(name);
        }
    }

    /**
     * For a node that a few importers use.
     *
     * <ul>
     *   <li>16 uploads: four importers with four each; every one holds at most 256 KiB of its body in memory, besides
     *       what the socket's windows hold.
     *   <li>headers of 64 KiB: two keys of 14 KiB in hexadecimal are 56 KiB.
     *   <li>bodies of 2 MiB: the largest note, 1 MiB, or 1,024 SST ids, or the directory of 10,000 ranges.
     *   <li>64 KiB/s: an SST of 64 MiB then takes at most 17 minutes; slower is as good as gone.
     *   <li>20 s for a step: proxies commonly give up after 30 or 60.
     * </ul>
     */
    public static HttpLimits defaults() {
        return new HttpLimits(
                1024, 16, 32, 256, 64 << 10, 2 << 20, 4L << 30, 32 << 20, 60_000, 60_000, 30_000, 64 << 10, 20_000,
                10_000);
    }

    /** With other times, for tests that cannot wait. */
    HttpLimits withTimes(long idle, long stall, long pace, long step) {
        return new HttpLimits(
                connections,
                uploads,
                scans,
                waitingRequests,
                headerBytes,
                jsonBytes,
                sstBytes,
                batchBytes,
                requestMillis,
                idle,
                stall,
                pace,
                step,
                drainMillis);
    }

    HttpLimits withUploads(int atATime) {
        return new HttpLimits(
                connections,
                atATime,
                scans,
                waitingRequests,
                headerBytes,
                jsonBytes,
                sstBytes,
                batchBytes,
                requestMillis,
                idleMillis,
                stallMillis,
                uploadBytesPerSecond,
                stepMillis,
                drainMillis);
    }

    HttpLimits withSstBytes(long most) {
        return new HttpLimits(
                connections,
                uploads,
                scans,
                waitingRequests,
                headerBytes,
                jsonBytes,
                most,
                batchBytes,
                requestMillis,
                idleMillis,
                stallMillis,
                uploadBytesPerSecond,
                stepMillis,
                drainMillis);
    }
}
