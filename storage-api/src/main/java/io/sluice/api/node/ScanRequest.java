package io.sluice.api.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scan in index order.
 *
 * @param table name of the table
 * @param index name of the index, or null for the primary
 * @param from text datums of a prefix of the index's columns, inclusive; empty: from the first row
 * @param to text datums of a prefix of the index's columns, exclusive; empty: to the last row
 * @param limit most rows to return
 */
public record ScanRequest(
        String table, @Nullable String index, List<@Nullable String> from, List<@Nullable String> to, long limit) {}
