package io.sluice.engine.store;

/**
 * An SST of the LSM tree with the number of its KVs, read from the file's own properties.
 *
 * @param file the SST
 * @param entries KVs and tombstones in it
 */
public record CountedSst(LiveSst file, long entries) {}
