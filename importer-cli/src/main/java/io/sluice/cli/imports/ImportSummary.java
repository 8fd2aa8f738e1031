package io.sluice.cli.imports;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an import did, in the names of the JSON report; docs/report.md explains each.
 *
 * @param table name of the table
 * @param state published, or published with rejects
 * @param mode the mode that was picked
 * @param rowsRead records of the input
 * @param rowsImported rows of the table now
 * @param rowsRejected records that were no rows
 * @param conflicts pairs of rows with the same key and different values
 * @param kvs KVs by index, the primary first
 * @param bytesRead of the input
 * @param seconds how long it took
 * @param ssts files that were ingested
 * @param puts KVs that came too few for a file of their own
 * @param maxHeight most files above each other over any key
 * @param l0Files files left in level 0
 * @param writeAmplification bytes written by the node for each byte ingested
 * @param verified whether what arrived was compared with what was sent, and agreed
 * @param digest what the table adds up to
 * @param limiter what held the import back most of the time
 */
public record ImportSummary(
        String table,
        State state,
        String mode,
        long rowsRead,
        long rowsImported,
        long rowsRejected,
        long conflicts,
        Map<String, Long> kvs,
        long bytesRead,
        Seconds seconds,
        int ssts,
        long puts,
        int maxHeight,
        int l0Files,
        double writeAmplification,
        boolean verified,
        String digest,
        String limiter) {
    /** Whether every row came in. */
    public enum State {
        IMPORTED,
        IMPORTED_WITH_REJECTS
    }

    /**
     * How long the parts took.
     *
     * @param total from the first byte to the published table
     * @param importing reading, encoding, sorting, shipping
     * @param compact merging in the node
     * @param verify comparing, and reading back
     */
    public record Seconds(double total, double importing, double compact, double verify) {}

    public ImportSummary {
        // Keeps the order of the indexes, which Map.copyOf does not.
        kvs = new LinkedHashMap<>(kvs);
    }
}
