package io.sluice.model.schema;

/**
 * The clause {@code INTERLEAVE IN PARENT parent (prefix)} of an index: its keys lie inside the key span of a row of the
 * parent's primary index.
 *
 * @param parent name of the parent table
 * @param prefixColumns number of leading columns of this index, which are the parent's whole primary key
 */
public record Interleave(String parent, int prefixColumns) {}
