package io.sluice.api.schema;

/**
 * {@code INTERLEAVE IN PARENT parent (prefix)}: an index whose keys lie inside the key span of a row of the parent's
 * primary index.
 *
 * @param parent name of the parent table
 * @param prefixColumns how many leading columns of this index are the parent's whole primary key
 */
public record Interleave(String parent, int prefixColumns) {}
