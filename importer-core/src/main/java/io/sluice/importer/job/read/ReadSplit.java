package io.sluice.importer.job.read;

import io.sluice.importer.source.ReadSpan;

/**
 * A decoded split whose rows are with the outputs, or a chunk of one.
 *
 * @param input ordinal of the input
 * @param ordinal ordinal of the split in the whole input
 * @param span the span of the input
 * @param bytes bytes of text
 * @param rows number of good records
 * @param rejects number of bad records
 * @param passedOver whether it is the empty end of a part of the input whose last span an earlier attempt has read
 */
public record ReadSplit(
        int input, long ordinal, ReadSpan span, long bytes, long rows, long rejects, boolean passedOver) {}
