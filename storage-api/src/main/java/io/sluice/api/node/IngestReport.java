package io.sluice.api.node;

/**
 * What ingesting did to the tree.
 *
 * @param ssts files that were ingested
 * @param puts KVs that were Put because their SST was too small to be a file of its own
 * @param maxHeight most files above each other over any key
 * @param l0Files files in level 0
 * @param bytesIngested length of the ingested files
 * @param bytesWritten what the node wrote to disk for them; 0 when every file was moved
 */
public record IngestReport(int ssts, long puts, int maxHeight, int l0Files, long bytesIngested, long bytesWritten) {}
