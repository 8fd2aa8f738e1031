package io.sluice.api.transaction;

/**
 * The position up to which a change log is applied. The array is not copied.
 *
 * @param log name of the log
 * @param position opaque resume position of the applier
 */
@SuppressWarnings("ArrayRecordComponent")
public record LogPosition(String log, byte[] position) {}
