package io.sluice.sampler;

import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.ImportSettings.Mode;
import java.util.Locale;

/**
 * Which mode an import should take, and why: a pure function of what it would do and where.
 *
 * @param mode the mode
 * @param why in words, for the report
 */
public record ModeChoice(Mode mode, String why) {
    /** What is to stay free on every disk: 1 GiB, as the node's gate has it. */
    private static final long RESERVE_BYTES = 1L << 30;

    /** Above so many files over one key a node of mode direct writes each byte more than two and a half times. */
    private static final int TALLEST_FOR_DIRECT = 64;

    /**
     * Where an import runs.
     *
     * @param nodes storage nodes
     * @param localFreeBytes free space where sorted runs would go
     * @param nodeFreeBytes free space of the store, or of the fullest node; -1: not known
     * @param oneDisk whether both are on one disk
     */
    public record Place(int nodes, long localFreeBytes, long nodeFreeBytes, boolean oneDisk) {}

    /** For an input that cannot be looked at. */
    public static ModeChoice unseen() {
        return new ModeChoice(Mode.MERGE, "the input can be read only once, so nothing is known of it beforehand");
    }

    /** For an input so small that the answer does not depend on what is in it. */
    public static ModeChoice small() {
        return new ModeChoice(Mode.MERGE, "the input is small enough to be sorted in memory");
    }

    /** For an input that was looked at. */
    public static ModeChoice of(Forecast forecast, Place place) {
        Forecast.Outcome merge = forecast.of(Mode.MERGE);
        long local = merge.localBytes() + (place.oneDisk() ? merge.nodeBytes() : 0);
        String where = place.nodes() == 1 ? "one node" : place.nodes() + " nodes";
        if (merge.localBytes() == 0) {
            return new ModeChoice(Mode.MERGE, where + ", and what must be sorted fits in memory");
        }
        String runs = "sorted runs of about " + bytes(merge.localBytes());
        if (local + RESERVE_BYTES <= place.localFreeBytes()) {
            return new ModeChoice(
                    Mode.MERGE,
                    where + ", and " + runs + " fit on the local disk (" + bytes(place.localFreeBytes()) + " free)");
        }
        String tooSmall =
                where + ", and " + runs + " do not fit on the local disk (" + bytes(place.localFreeBytes()) + " free)";
        return sortedByNodes(forecast, place, tooSmall);
    }

    /** For an input that was looked at, where an import that is cut off must be able to go on. */
    public static ModeChoice resumable(Forecast forecast, Place place) {
        return sortedByNodes(forecast, place, "it can be gone on with");
    }

    private static ModeChoice sortedByNodes(Forecast forecast, Place place, String why) {
        long height = forecast.of(Mode.DIRECT).height();
        boolean room = place.nodeFreeBytes() < 0
                || forecast.of(Mode.TWO_PASS).nodeBytes() / place.nodes() + RESERVE_BYTES <= place.nodeFreeBytes();
        if (height > TALLEST_FOR_DIRECT && room) {
            return new ModeChoice(Mode.TWO_PASS, why + "; shipped directly they would stack " + height + " high");
        }
        return new ModeChoice(Mode.DIRECT, why + "; the node merges stacks of about " + height);
    }

    private static String bytes(long bytes) {
        return bytes >= 1_000_000_000
                ? String.format(Locale.ROOT, "%.1f GB", bytes / 1e9)
                : String.format(Locale.ROOT, "%.0f MB", bytes / 1e6);
    }
}
