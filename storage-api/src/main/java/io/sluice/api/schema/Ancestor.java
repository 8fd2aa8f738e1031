package io.sluice.api.schema;

/**
 * One level above an interleaved index.
 *
 * @param tableId the ancestor's table
 * @param indexId the ancestor's index
 * @param sharedColumns how many more leading key columns belong to this level
 */
public record Ancestor(int tableId, int indexId, int sharedColumns) {}
