package io.sluice.node.admit;

import io.sluice.api.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits of a node's gate. Each is where its score is 1.0.
 *
 * @param softHeight sublevels over a key of a table that is read
 * @param hardHeight sublevels over a key of any table
 * @param files SSTs on the node
 * @param compactionBytes bytes awaiting compaction
 * @param stagedBytes bytes admitted and not ingested yet; also the largest SST
 * @param diskLowBytes free space under which SSTs wait
 * @param diskReserveBytes free space under which they are refused
 * @param halfLifeMillis time in which the memory of a high score fades by half
 * @param reopenScore score to which a closed gate must come down to open
 * @param minDeferMillis shortest wait
 * @param maxDeferMillis longest wait
 */
public record AdmissionSettings(
        int softHeight,
        int hardHeight,
        long files,
        long compactionBytes,
        long stagedBytes,
        long diskLowBytes,
        long diskReserveBytes,
        long halfLifeMillis,
        double reopenScore,
        long minDeferMillis,
        long maxDeferMillis) {
    /**
     * Checks all settings together.
     *
     * @throws BadInputException when some are out of range; the message lists all of those
     */
    public AdmissionSettings {
        List<String> wrong = new ArrayList<>();
        positive(wrong, "soft height", softHeight);
        positive(wrong, "files", files);
        positive(wrong, "compaction bytes", compactionBytes);
        positive(wrong, "staged bytes", stagedBytes);
        positive(wrong, "disk reserve bytes", diskReserveBytes);
        positive(wrong, "half-life millis", halfLifeMillis);
        positive(wrong, "shortest wait millis", minDeferMillis);
        ordered(wrong, "soft height", softHeight, "hard height", hardHeight);
        ordered(wrong, "hard height", hardHeight, "the levels of a column family", 63);
        ordered(wrong, "disk reserve bytes", diskReserveBytes, "disk low bytes", diskLowBytes);
        ordered(wrong, "shortest wait millis", minDeferMillis, "longest wait millis", maxDeferMillis);
        if (!(reopenScore > 0 && reopenScore <= 1)) {
            wrong.add("reopen score: " + reopenScore + ", must be above 0 and at most 1");
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("admission settings: " + String.join("; ", wrong));
        }
    }

    private static void positive(List<String> wrong, String name, long value) {
        if (value < 1) {
            wrong.add(name + ": " + value + ", must be at least 1");
        }
    }

    private static void ordered(List<String> wrong, String lowName, long low, String highName, long high) {
        if (low > high) {
            wrong.add(lowName + ": " + low + ", must not be above " + highName + ", " + high);
        }
    }

    /**
     * For a node on a disk of its own.
     *
     * <ul>
     *   <li>height 20 and 56: where compaction keeps tables that are read, and where 64 levels leave 7 to spare.
     *   <li>20,000 files: listing them takes 2 us each, so 40 ms whenever the tree has changed.
     *   <li>16 GiB awaiting compaction: half a minute for two threads at 250 MB/s each.
     *   <li>1 GiB staged: ingestion moves files in milliseconds, so this much waits only if it is stuck; also 16 SSTs
     *       of 64 MiB, two from each of eight writers.
     *   <li>disk 8 GiB and 4 GiB: two picks of 256 MiB and all staged bytes fit into 4 GiB more than twice; the rest is
     *       the stretch in which writers notice before they fail.
     *   <li>half-life 2 s: longer than a merge of 256 MiB takes, about a second, so a figure that dips between two
     *       merges is still remembered as it was before.
     *   <li>reopen at 0.8: 3 GiB less to merge, a dozen picks, so that the gate does not flutter with each of them.
     *   <li>waits of 50 ms to 5 s: a fraction of a merge, and what a person takes for stuck.
     * </ul>
     */
    public static AdmissionSettings defaults() {
        return new AdmissionSettings(20, 56, 20_000, 16L << 30, 1L << 30, 8L << 30, 4L << 30, 2_000, 0.8, 50, 5_000);
    }

    /**
     * The same with another reserve on the disk; SSTs wait as far above it as they did.
     *
     * @param bytes free space under which SSTs are refused
     */
    public AdmissionSettings withDiskReserveBytes(long bytes) {
        return new AdmissionSettings(
                softHeight,
                hardHeight,
                files,
                compactionBytes,
                stagedBytes,
                bytes + diskLowBytes - diskReserveBytes,
                bytes,
                halfLifeMillis,
                reopenScore,
                minDeferMillis,
                maxDeferMillis);
    }
}
