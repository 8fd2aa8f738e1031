package io.sluice.importer.job;

import io.sluice.importer.source.ReadSpan;

/**
 * A split that was decoded, and whose rows are with the outputs.
 *
 * @param input ordinal of its input
 * @param ordinal its own, in the order of the whole input
 * @param span what of the input it was
 * @param bytes of its text
 * @param rows good records
 * @param rejects bad ones
 */
record ReadSplit(int input, long ordinal, ReadSpan span, long bytes, long rows, long rejects) {}
