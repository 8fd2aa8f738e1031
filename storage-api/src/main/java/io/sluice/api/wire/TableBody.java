package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.TableStatus;
import io.sluice.model.schema.Table;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A readable table, as JSON.
 *
 * @param table the table with its ids
 * @param rows number of KVs of the primary index, as far as the node knows
 * @param imported current checksum of each index, as far as the node knows
 * @param publishedAt time of publication, ISO 8601
 * @param directory key ranges and their nodes
 * @param published checksum of each index when the table was published; null: equal to {@code imported}
 * @param counted false if {@code imported} lacks the changes on a node that was not reached; null: true. One node alone
 *     always counts; a service over several may not
 * @param incomplete which keys are unreadable and why, according to a service over nodes; null: none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TableBody(
        Table table,
        long rows,
        List<ChecksumBody> imported,
        String publishedAt,
        DirectoryBody directory,
        @Nullable List<ChecksumBody> published,
        @Nullable Boolean counted,
        @Nullable String incomplete) {
    public TableBody {
        imported = List.copyOf(imported);
    }

    public static TableBody of(TableStatus status) {
        return new TableBody(
                status.table(),
                status.rows(),
                ChecksumBody.of(status.imported()),
                status.publishedAt().toString(),
                DirectoryBody.of(status.directory()),
                status.published().equals(status.imported()) ? null : ChecksumBody.of(status.published()),
                status.counted() ? null : false,
                status.incomplete());
    }

    public TableStatus toStatus() {
        return new TableStatus(
                table,
                ChecksumBody.toSums(imported),
                Instant.parse(publishedAt),
                directory.toDirectory(),
                ChecksumBody.toSums(published == null ? imported : published),
                counted == null || counted,
                incomplete);
    }
}
