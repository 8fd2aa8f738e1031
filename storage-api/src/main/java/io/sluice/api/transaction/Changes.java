package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.kv.KeySpan;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One node's branch of a transaction.
 *
 * @param snapshot id of the snapshot that it read
 * @param changes what it writes
 * @param read what it read, and nobody else may have changed
 * @param differences how much more indexes add up to; only from the node that is first of those that hold a range
 * @param log how far a change log is applied by it, or null
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Changes(
        UUID snapshot,
        List<TableChanges> changes,
        List<KeySpan> read,
        List<Difference> differences,
        @Nullable LogPosition log) {
    public Changes {
        changes = Lists.orNone(changes);
        read = Lists.orNone(read);
        differences = Lists.orNone(differences);
    }
}
