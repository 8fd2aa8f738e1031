package io.sluice.engine.admit;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits of a node's gate. A signal at its limit has the score 1.0.
 *
 * @param hardHeight sublevels over a key of any table
 * @param files SSTs on the node
 * @param compactionBytes bytes awaiting compaction
 * @param stagedBytes bytes admitted and not ingested yet; also the largest SST
 * @param disk limits of the free space
 * @param decay how a closed gate reopens
 * @param waits shortest and longest time after which a sender asks again
 */
public record AdmissionSettings(
        int hardHeight, long files, long compactionBytes, long stagedBytes, Disk disk, Decay decay, Waits waits) {
    /**
     * Limits of the free space.
     *
     * @param lowBytes free space below which SSTs wait
     * @param reserveBytes free space below which SSTs are refused
     */
    public record Disk(long lowBytes, long reserveBytes) {}

    /**
     * Times and score at which a closed gate reopens.
     *
     * @param halfLifeMillis time in which a high score decays by half
     * @param reopenScore score at which a closed gate reopens
     */
    public record Decay(long halfLifeMillis, double reopenScore) {}

    /** The shortest and the longest wait. */
    public record Waits(long minMillis, long maxMillis) {}

    /**
     * Checks all settings together.
     *
     * @throws BadInputException when a setting is out of range; the message lists all that are
     */
    public AdmissionSettings {
        List<String> wrong = new ArrayList<>();
        positive(wrong, "hard height", hardHeight);
        positive(wrong, "files", files);
        positive(wrong, "compaction bytes", compactionBytes);
        positive(wrong, "staged bytes", stagedBytes);
        positive(wrong, "disk reserve bytes", disk.reserveBytes);
        positive(wrong, "half-life millis", decay.halfLifeMillis);
        positive(wrong, "shortest wait millis", waits.minMillis);
        ordered(wrong, "hard height", hardHeight, "the levels of a column family", 63);
        ordered(wrong, "disk reserve bytes", disk.reserveBytes, "disk low bytes", disk.lowBytes);
        ordered(wrong, "shortest wait millis", waits.minMillis, "longest wait millis", waits.maxMillis);
        if (!(decay.reopenScore > 0 && decay.reopenScore <= 1)) {
            wrong.add("reopen score: " + decay.reopenScore + ", must be above 0 and at most 1");
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
     * The defaults for a node on a disk of its own.
     *
     * <ul>
     *   <li>height 56: leaves 7 of 64 levels to spare.
     *   <li>20,000 files: listing a file takes 2 us, so 40 ms after each change of the tree.
     *   <li>16 GiB awaiting compaction: half a minute for two threads at 250 MB/s each.
     *   <li>1 GiB staged: ingestion moves files in milliseconds, so this much waits only if ingestion is stuck; also 16
     *       SSTs of 64 MiB, two from each of eight writers.
     *   <li>disk 8 GiB and 4 GiB: two picks of 256 MiB and all staged bytes fit into 4 GiB more than twice; between 8
     *       and 4 GiB writers wait before they fail.
     *   <li>half-life 2 s: a compaction of 256 MiB takes about a second, so the score outlasts a dip between two
     *       compactions.
     *   <li>reopen at 0.8: 3 GiB less to compact, a dozen picks, so that the gate does not open and close with each
     *       pick.
     *   <li>waits of 50 ms to 5 s: a fraction of a compaction, and the time after which a person thinks it is stuck.
     * </ul>
     */
    public static AdmissionSettings defaults() {
        return new AdmissionSettings(
                56,
                20_000,
                16L << 30,
                1L << 30,
                new Disk(8L << 30, 4L << 30),
                new Decay(2_000, 0.8),
                new Waits(50, 5_000));
    }

    /** These settings with other limits of the free space. */
    public AdmissionSettings withDisk(Disk other) {
        return new AdmissionSettings(hardHeight, files, compactionBytes, stagedBytes, other, decay, waits);
    }
}
