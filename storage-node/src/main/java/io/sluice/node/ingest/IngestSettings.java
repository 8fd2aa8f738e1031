package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.engine.compact.CompactionSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.thread.Backoff;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of ingestion on arrival.
 *
 * @param smallSstBytes length below which an SST becomes Puts into the small-SST buffer, unless it holds more than
 *     4,096 KVs
 * @param bufferBytes bytes of KVs at which the small-SST buffer is flushed to SSTs
 * @param flushedSstBytes size of an SST of such a flush
 * @param diskPatienceMillis how long SSTs wait for space on a full disk before the node refuses them
 * @param admission limits of the gate
 * @param compaction settings of compaction
 * @param backoff waits between attempts of a failed compaction or flush
 */
public record IngestSettings(
        long smallSstBytes,
        long bufferBytes,
        long flushedSstBytes,
        long diskPatienceMillis,
        AdmissionSettings admission,
        CompactionSettings compaction,
        Backoff backoff) {
    /** Limit of the buffer size. */
    private static final long MAX_BUFFER_BYTES = 1L << 30;

    /**
     * KVs above which an SST is not small, whatever its length. Ingesting a file takes 5 ms, two syncs, and adds to the
     * height until it is compacted. A Put costs 4 us a KV, and the flush another 1 us. 4,096 KVs take 20 ms, and an SST
     * just below 1 MiB holds that many rows of 256 bytes; of index entries of 26 bytes it holds 40,000.
     */
    private static final int MAX_SMALL_SST_KVS = 4_096;

    private static final int MAX_MERGES = 64;

    /**
     * Checks all settings together; the nested settings have checked theirs.
     *
     * @throws BadInputException when a setting is out of range; the message lists all that are
     */
    public IngestSettings {
        List<String> wrong = new ArrayList<>();
        if (smallSstBytes < 0) {
            wrong.add("small SST: " + smallSstBytes + " bytes, must not be negative");
        }
        if (bufferBytes < 1 || bufferBytes > MAX_BUFFER_BYTES) {
            wrong.add("small-SST buffer: " + bufferBytes + " bytes, must be 1 to " + MAX_BUFFER_BYTES);
        }
        if (smallSstBytes > bufferBytes) {
            wrong.add("small SST: " + smallSstBytes + " bytes, must not be above the small-SST buffer, " + bufferBytes);
        }
        if (flushedSstBytes < 1) {
            wrong.add("SST of a small-SST flush: " + flushedSstBytes + " bytes, must be at least 1");
        }
        if (diskPatienceMillis < 0) {
            wrong.add("disk patience: " + diskPatienceMillis + " ms, must not be negative");
        }
        if (admission.hardHeight() < compaction.offline().limit()) {
            wrong.add("hard height of admission: " + admission.hardHeight()
                    + ", must not be below the hard limit of compaction, "
                    + compaction.offline().limit()
                    + ", or SSTs may wait for compactions that never start");
        }
        if (compaction.concurrentPicks() > MAX_MERGES) {
            wrong.add("compactions at a time: " + compaction.concurrentPicks() + ", must be at most " + MAX_MERGES);
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("ingest settings: " + String.join("; ", wrong));
        }
    }

    /**
     * The defaults for this machine.
     *
     * <ul>
     *   <li>small is below 1 MiB: ingesting a file costs 2 ms whatever its size, Puts 4 us a KV. So 1 MiB of 300-byte
     *       KVs costs 14 ms more, and saves a file in every stack that it would be on.
     *   <li>buffer 64 MiB: the size of one output file of a compaction.
     *   <li>flushed SSTs of 8 MiB: eight files that are compacted in parallel, instead of one as wide as the table.
     *   <li>disk patience 60 s: time for the operator to free disk space.
     *   <li>the gate's disk limits 2 GiB and 1 GiB: two compactions of 256 MiB and a small-SST buffer with its flushed
     *       SSTs take 640 MiB; the rest is for the log and the catalog.
     *   <li>waits of 100 ms, 200 ms, ... to 30 s; eight failures in a row take 13 s, enough for a disk that was full
     *       for a moment.
     *   <li>one compaction per core, at least two, so that a long one does not delay a growing stack.
     * </ul>
     */
    public static IngestSettings defaults() {
        int merges = Math.min(MAX_MERGES, Math.max(2, Runtime.getRuntime().availableProcessors()));
        return new IngestSettings(
                1L << 20,
                64L << 20,
                8L << 20,
                60_000,
                AdmissionSettings.defaults().withDisk(new AdmissionSettings.Disk(2L << 30, 1L << 30)),
                CompactionSettings.defaults(merges),
                new Backoff(100, 30_000, 8));
    }

    /** Whether an SST becomes Puts. */
    boolean small(SstFile sst) {
        return sst.fileBytes() < smallSstBytes && sst.sum().count() <= MAX_SMALL_SST_KVS;
    }

    public IngestSettings withSmallSstBytes(long bytes) {
        return new IngestSettings(
                bytes, bufferBytes, flushedSstBytes, diskPatienceMillis, admission, compaction, backoff);
    }

    public IngestSettings withBufferBytes(long bytes, long eachSstBytes) {
        return new IngestSettings(
                smallSstBytes, bytes, eachSstBytes, diskPatienceMillis, admission, compaction, backoff);
    }

    public IngestSettings withDiskPatienceMillis(long millis) {
        return new IngestSettings(smallSstBytes, bufferBytes, flushedSstBytes, millis, admission, compaction, backoff);
    }

    public IngestSettings withAdmission(AdmissionSettings other) {
        return new IngestSettings(
                smallSstBytes, bufferBytes, flushedSstBytes, diskPatienceMillis, other, compaction, backoff);
    }

    public IngestSettings withCompaction(CompactionSettings other) {
        return new IngestSettings(
                smallSstBytes, bufferBytes, flushedSstBytes, diskPatienceMillis, admission, other, backoff);
    }

    public IngestSettings withBackoff(Backoff other) {
        return new IngestSettings(
                smallSstBytes, bufferBytes, flushedSstBytes, diskPatienceMillis, admission, compaction, other);
    }
}
