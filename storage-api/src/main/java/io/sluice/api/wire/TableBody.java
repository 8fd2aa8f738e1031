package io.sluice.api.wire;

import io.sluice.api.node.TableStatus;
import io.sluice.api.schema.Table;
import java.time.Instant;
import java.util.List;

/**
 * A table that can be read.
 *
 * @param table the table and its ids
 * @param rows KVs of its primary index when it was published
 * @param imported what each index added up to then
 * @param publishedAt when that was, as ISO 8601 has it
 * @param directory which nodes hold which keys
 */
public record TableBody(Table table, long rows, List<SumBody> imported, String publishedAt, DirectoryBody directory) {
    public TableBody {
        imported = List.copyOf(imported);
    }

    public static TableBody of(TableStatus status) {
        return new TableBody(
                status.table(),
                status.rows(),
                SumBody.of(status.imported()),
                status.publishedAt().toString(),
                DirectoryBody.of(status.directory()));
    }

    public TableStatus toStatus() {
        return new TableStatus(table, SumBody.toSums(imported), Instant.parse(publishedAt), directory.toDirectory());
    }
}
