package io.sluice.api.node;

/**
 * What an import did to the tree, from its beginning to {@link ImportSession#finalizeIngest}.
 *
 * @param ssts files that were ingested
 * @param puts KVs that were Put because their SST was too small to be a file of its own
 * @param maxHeight most files that were above each other over any key at any time
 * @param l0Files files in level 0
 * @param bytesIngested length of the files that came, be they ingested or Put
 * @param bytesWritten what the node wrote to disk for them: copies, Puts, compactions; 0 when every file was moved
 * @param settleSeconds how long {@link ImportSession#finalizeIngest} took to merge what overlapped, or to sort what was
 *     shuffled
 * @param peakBufferBytes the most that KVs to be sorted took on the node's disk, with the SSTs they became; 0 when the
 *     node had none to sort
 */
public record IngestReport(
        int ssts,
        long puts,
        int maxHeight,
        int l0Files,
        long bytesIngested,
        long bytesWritten,
        double settleSeconds,
        long peakBufferBytes) {
    /** Of an import that left the node nothing to sort. */
    public IngestReport(
            int ssts,
            long puts,
            int maxHeight,
            int l0Files,
            long bytesIngested,
            long bytesWritten,
            double settleSeconds) {
        this(ssts, puts, maxHeight, l0Files, bytesIngested, bytesWritten, settleSeconds, 0);
    }
}
