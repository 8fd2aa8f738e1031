package io.sluice.sampler;

import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.ImportSettings.Mode;
import java.util.Locale;

/**
 * The chosen mode of an import and the reason; a pure function of the forecast and the place.
 *
 * @param mode the chosen mode
 * @param why the reason as text, for the report
 */
public record ModeChoice(Mode mode, String why) {
    /** Free space to keep on every disk: 1 GiB, as in the node's admission. */
    private static final long RESERVE_BYTES = 1L << 30;

    /** Stack height above which a node in mode direct writes each byte more than two and a half times. */
    private static final int TALLEST_FOR_DIRECT = 64;

    /**
     * The nodes and disks of an import.
     *
     * @param nodes number of storage nodes
     * @param localFreeBytes free space for sorted runs
     * @param nodeFreeBytes free space of the store, or of the fullest node; -1: unknown
     * @param oneDisk whether runs and store are on the same disk
     */
    public record Place(int nodes, long localFreeBytes, long nodeFreeBytes, boolean oneDisk) {}

    /** Chooses for an input that cannot be sampled. */
    public static ModeChoice withoutSample() {
        return new ModeChoice(Mode.MERGE, "the input can be read only once, so nothing is known of it beforehand");
    }

    /** Chooses for an input so small that its contents do not matter. */
    public static ModeChoice small() {
        return new ModeChoice(Mode.MERGE, "the input is small enough to be sorted in memory");
    }

    /** Chooses for a sampled input. */
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

    /** Chooses for a sampled input and an import that must be resumable. */
    public static ModeChoice resumable(Forecast forecast, Place place) {
        return sortedByNodes(forecast, place, "it can be resumed");
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
