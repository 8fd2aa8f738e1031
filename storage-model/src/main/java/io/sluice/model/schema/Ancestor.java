package io.sluice.model.schema;

/**
 * One level above an interleaved index.
 *
 * @param tableId the ancestor's table
 * @param indexId the ancestor's index
 * @param sharedColumns number of additional leading key columns at this level
 */
public record Ancestor(int tableId, int indexId, int sharedColumns) {}
