package io.sluice.engine.lsm;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * An event with its position in the history.
 *
 * @param seq number of the event, ascending in the store; a snapshot at the start of a truncated log has the number of
 *     the last dropped event
 * @param atMillis time of the event, in milliseconds since 1970-01-01 UTC
 * @param family the column family of the event
 * @param table the table of the event, or null
 * @param event the event
 * @param after the family's tree after the event
 */
public record LsmEntry(
        long seq,
        long atMillis,
        String family,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String table,
        LsmEvent event,
        LsmFigures after) {}
