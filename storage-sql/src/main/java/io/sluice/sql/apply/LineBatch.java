package io.sluice.sql.apply;

/**
 * Consecutive lines of a log. Batches may share a buffer, which must not be modified.
 *
 * @param buffer contains the lines
 * @param starts offset of each line in the buffer
 * @param lengths length of each line without its line end
 * @param numbers number of each line, from 1; empty lines are left out
 * @param end position after the batch
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LineBatch(byte[] buffer, int[] starts, int[] lengths, long[] numbers, Position end) {
    int size() {
        return starts.length;
    }
}
