package io.sluice.node.ingest;

import io.sluice.api.error.BadInputException;
import io.sluice.api.node.SstFile;
import io.sluice.node.admit.AdmissionSettings;
import io.sluice.node.compact.Backoff;
import io.sluice.node.compact.CompactionSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * How a node takes in SSTs as they come.
 *
 * @param smallSstBytes length below which an SST becomes Puts into the landing column family, unless it holds more than
 *     4,096 KVs
 * @param landingBytes KVs that it gathers before it is drained into SSTs
 * @param drainedSstBytes size at which such an SST ends
 * @param diskPatienceMillis how long SSTs wait for space on a full disk before they are refused
 * @param admission limits of the gate
 * @param compaction when and how much to merge
 * @param backoff when a merge that failed is tried again
 */
public record IngestSettings(
        long smallSstBytes,
        long landingBytes,
        long drainedSstBytes,
        long diskPatienceMillis,
        AdmissionSettings admission,
        CompactionSettings compaction,
        Backoff backoff) {
    /** Half of the landing memtable is left to skip list nodes and to what comes during a drain. */
    private static final long MAX_LANDING_BYTES = 1L << 30;

    /**
     * KVs above which an SST is not small, whatever its length. Moving a file in takes 5 ms, two syncs, and it stands
     * in the way of others until it is merged; Putting costs 4 us a KV and draining another 1 us. 4,096 of them take 20
     * ms, and are what an SST just below 1 MiB holds of rows of 256 bytes; of index entries of 26 bytes it holds
     * 40,000.
     */
    private static final int MAX_SMALL_SST_KVS = 4_096;

    private static final int MAX_MERGES = 64;

    /**
     * Checks all settings together; the parts have checked theirs.
     *
     * @throws BadInputException when some are out of range; the message lists all of those
     */
    public IngestSettings {
        List<String> wrong = new ArrayList<>();
        if (smallSstBytes < 0) {
            wrong.add("small SST: " + smallSstBytes + " bytes, must not be negative");
        }
        if (landingBytes < 1 || landingBytes > MAX_LANDING_BYTES) {
            wrong.add("landing: " + landingBytes + " bytes, must be 1 to " + MAX_LANDING_BYTES);
        }
        if (smallSstBytes > landingBytes) {
            wrong.add("small SST: " + smallSstBytes + " bytes, must not be above landing, " + landingBytes);
        }
        if (drainedSstBytes < 1) {
            wrong.add("drained SST: " + drainedSstBytes + " bytes, must be at least 1");
        }
        if (diskPatienceMillis < 0) {
            wrong.add("disk patience: " + diskPatienceMillis + " ms, must not be negative");
        }
        if (admission.hardHeight() < compaction.hardLimit()) {
            wrong.add("hard height of admission: " + admission.hardHeight()
                    + ", must not be below the hard limit of compaction, " + compaction.hardLimit()
                    + ", or it may wait for merges that are never due");
        }
        if (compaction.concurrentPicks() > MAX_MERGES) {
            wrong.add("merges at a time: " + compaction.concurrentPicks() + ", must be at most " + MAX_MERGES);
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("ingest settings: " + String.join("; ", wrong));
        }
    }

    /**
     * For this machine.
     *
     * <ul>
     *   <li>small is below 1 MiB: moving a file in costs 2 ms whatever its size, Puts 4 us a KV, so 1 MiB of 300-byte
     *       KVs costs 14 ms more, and saves a place in every stack it would stand on.
     *   <li>landing 64 MiB: as many as one SST of a merge holds.
     *   <li>drained SSTs of 8 MiB: eight pieces that merge side by side instead of one as wide as the table.
     *   <li>disk patience 60 s: somebody who is told removes something in that time.
     *   <li>the gate's disk limits 2 GiB and 1 GiB: two merges of 256 MiB and a landing family in both its forms take
     *       640 MiB; the rest is the log's and the catalog's.
     *   <li>one merge per core, at least two, so that a long one does not hold up a stack that grows.
     * </ul>
     */
    public static IngestSettings defaults() {
        AdmissionSettings gate = AdmissionSettings.defaults();
        int merges = Math.min(MAX_MERGES, Math.max(2, Runtime.getRuntime().availableProcessors()));
        return new IngestSettings(
                1L << 20,
                64L << 20,
                8L << 20,
                60_000,
                new AdmissionSettings(
                        gate.softHeight(),
                        gate.hardHeight(),
                        gate.files(),
                        gate.compactionBytes(),
                        gate.stagedBytes(),
                        2L << 30,
                        1L << 30,
                        gate.halfLifeMillis(),
                        gate.reopenScore(),
                        gate.minDeferMillis(),
                        gate.maxDeferMillis()),
                CompactionSettings.defaults(merges),
                Backoff.defaults());
    }

    /** Whether an SST is to become Puts. */
    boolean small(SstFile sst) {
        return sst.fileBytes() < smallSstBytes && sst.sum().count() <= MAX_SMALL_SST_KVS;
    }

    public IngestSettings withSmallSstBytes(long bytes) {
        return new IngestSettings(
                bytes, landingBytes, drainedSstBytes, diskPatienceMillis, admission, compaction, backoff);
    }

    public IngestSettings withLandingBytes(long bytes, long eachSstBytes) {
        return new IngestSettings(
                smallSstBytes, bytes, eachSstBytes, diskPatienceMillis, admission, compaction, backoff);
    }

    public IngestSettings withDiskPatienceMillis(long millis) {
        return new IngestSettings(smallSstBytes, landingBytes, drainedSstBytes, millis, admission, compaction, backoff);
    }

    public IngestSettings withAdmission(AdmissionSettings other) {
        return new IngestSettings(
                smallSstBytes, landingBytes, drainedSstBytes, diskPatienceMillis, other, compaction, backoff);
    }

    public IngestSettings withCompaction(CompactionSettings other) {
        return new IngestSettings(
                smallSstBytes, landingBytes, drainedSstBytes, diskPatienceMillis, admission, other, backoff);
    }

    public IngestSettings withBackoff(Backoff other) {
        return new IngestSettings(
                smallSstBytes, landingBytes, drainedSstBytes, diskPatienceMillis, admission, compaction, other);
    }
}
