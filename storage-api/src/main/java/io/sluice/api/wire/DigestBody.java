package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.TableDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a table adds up to.
 *
 * @param table the table's name
 * @param digest one line for the whole table
 * @param indexes one sum per index, the primary first
 * @param tableId id of the table; null of an import's
 * @param version the commit that the table was read at: a sequence number of the node's store, which goes up with each
 *     write; null of an import's table, which no commit changes
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DigestBody(
        String table,
        String digest,
        List<ChecksumBody> indexes,
        @Nullable Integer tableId,
        @Nullable Long version) {
    public DigestBody {
        indexes = List.copyOf(indexes);
    }

    public static DigestBody of(TableDigest digest) {
        return new DigestBody(digest.table(), digest.digest(), ChecksumBody.of(digest.indexes()), null, null);
    }

    /** The digest of a version of a table. */
    public static DigestBody of(TableDigest digest, int tableId, long version) {
        return new DigestBody(digest.table(), digest.digest(), ChecksumBody.of(digest.indexes()), tableId, version);
    }

    public TableDigest toDigest() {
        return new TableDigest(table, ChecksumBody.toSums(indexes));
    }
}
