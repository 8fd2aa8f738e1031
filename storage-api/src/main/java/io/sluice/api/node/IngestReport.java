package io.sluice.api.node;

/**
 * Statistics of an import's effect on the LSM tree, from its start to {@link ImportSession#finalizeIngest}.
 *
 * @param ssts number of ingested files
 * @param puts KVs that the node wrote as Puts because their SST was too small for a file of its own
 * @param maxHeight the largest number of files that overlapped at any one key at any time
 * @param l0Files files in level 0
 * @param bytesIngested total length of the arrived files, ingested or written as Puts
 * @param bytesWritten bytes that the node wrote to disk for them: copies, Puts, compactions; 0 if every file was moved
 * @param compactSeconds how long {@link ImportSession#finalizeIngest} took to compact overlapping files, or to sort
 *     shuffled KVs
 * @param peakBufferBytes the largest disk space that shuffled KVs and their sorted SSTs took on the node; 0 without
 *     {@link IngestTiming#SHUFFLED}
 */
public record IngestReport(
        int ssts,
        long puts,
        int maxHeight,
        int l0Files,
        long bytesIngested,
        long bytesWritten,
        double compactSeconds,
        long peakBufferBytes) {
    /** The report of an import without shuffled KVs. */
    public IngestReport(
            int ssts,
            long puts,
            int maxHeight,
            int l0Files,
            long bytesIngested,
            long bytesWritten,
            double compactSeconds) {
        this(ssts, puts, maxHeight, l0Files, bytesIngested, bytesWritten, compactSeconds, 0);
    }

    /** The report of several nodes: sums, and the maximum of heights, times and buffers. */
    public IngestReport plus(IngestReport other) {
        return new IngestReport(
                ssts + other.ssts,
                puts + other.puts,
                Math.max(maxHeight, other.maxHeight),
                l0Files + other.l0Files,
                bytesIngested + other.bytesIngested,
                bytesWritten + other.bytesWritten,
                Math.max(compactSeconds, other.compactSeconds),
                Math.max(peakBufferBytes, other.peakBufferBytes));
    }
}
