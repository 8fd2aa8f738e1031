package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One node's branch of a transaction.
 *
 * @param snapshot id of the snapshot that the branch read from
 * @param changes the written keys
 * @param read the key spans that the branch read; the commit fails if another transaction has changed them
 * @param differences changes of the indexes' checksums; only on the first node that holds a range
 * @param log position of a change log that this transaction commits, or null
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
