package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The read set of a transaction on one node, to find out whether it is unchanged.
 *
 * @param snapshot id of the snapshot that it read from
 * @param read the key spans
 * @param epochs epochs of the directories by which the coordinator found the keys, by table id; of tables of which the
 *     node has ranges
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ReadSet(@Nullable UUID snapshot, List<KeySpan> read, Map<Integer, Long> epochs) {
    public ReadSet {
        read = Lists.orNone(read);
        epochs = epochs == null ? Map.of() : Map.copyOf(epochs);
    }
}
