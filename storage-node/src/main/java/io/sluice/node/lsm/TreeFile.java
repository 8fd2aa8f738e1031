package io.sluice.node.lsm;

/**
 * A live file and where it came from.
 *
 * @param shape the file
 * @param origin how it came into the tree; a move to another level does not change it
 * @param bornSeq number of the event that brought it
 */
public record TreeFile(SstShape shape, Origin origin, long bornSeq) {}
