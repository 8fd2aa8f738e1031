package io.sluice.api.transaction;

/**
 * How far a change log is applied. The array is not copied.
 *
 * @param log name of the log
 * @param position what whoever applies it wants to know again
 */
@SuppressWarnings("ArrayRecordComponent")
public record LogPosition(String log, byte[] position) {}
