package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.TableStatus;
import io.sluice.api.schema.Table;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that can be read.
 *
 * @param table the table and its ids
 * @param rows KVs of its primary index, as far as the node knows
 * @param imported what each index adds up to, as far as the node knows
 * @param publishedAt when that was, as ISO 8601 has it
 * @param directory which nodes hold which keys
 * @param published what each index added up to when the table was published; null: the same
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TableBody(
        Table table,
        long rows,
        List<ChecksumBody> imported,
        String publishedAt,
        DirectoryBody directory,
        @Nullable List<ChecksumBody> published) {
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
                status.published().equals(status.imported()) ? null : ChecksumBody.of(status.published()));
    }

    public TableStatus toStatus() {
        return new TableStatus(
                table,
                ChecksumBody.toSums(imported),
                Instant.parse(publishedAt),
                directory.toDirectory(),
                ChecksumBody.toSums(published == null ? imported : published));
    }
}
