package io.sluice.node.apply;

/**
 * Consecutive lines of a log. Others may share its buffer, which nobody changes.
 *
 * @param buffer holds them
 * @param starts where each line begins in it
 * @param lengths without line ends
 * @param numbers of each line, from 1; empty lines are left out
 * @param end where the log goes on
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LineBatch(byte[] buffer, int[] starts, int[] lengths, long[] numbers, Position end) {
    int size() {
        return starts.length;
    }
}
