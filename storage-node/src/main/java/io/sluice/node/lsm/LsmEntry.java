package io.sluice.node.lsm;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * An event in its place in history.
 *
 * @param seq grows with every event of the store; a snapshot that begins a shortened log carries the number of the last
 *     event that was dropped
 * @param atMillis when, in milliseconds since 1970-01-01 UTC
 * @param family the column family it happened to
 * @param table the table that was concerned, if one was
 * @param event what happened
 * @param after the family's tree after it
 */
public record LsmEntry(
        long seq,
        long atMillis,
        String family,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String table,
        LsmEvent event,
        LsmFigures after) {}
