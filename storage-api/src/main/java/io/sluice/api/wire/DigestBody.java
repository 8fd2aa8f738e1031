package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.TableDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The digest of a table, as JSON.
 *
 * @param table the table's name
 * @param digest printed digest of the whole table
 * @param indexes one checksum per index, the primary first
 * @param tableId id of the table; null for the table of a running import
 * @param version sequence number of the node's store at which the table was read; it grows with each write. Null for
 *     the table of a running import, which no commit changes
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

    /** The digest of a table at a sequence number. */
    public static DigestBody of(TableDigest digest, int tableId, long version) {
        return new DigestBody(digest.table(), digest.digest(), ChecksumBody.of(digest.indexes()), tableId, version);
    }

    public TableDigest toDigest() {
        return new TableDigest(table, ChecksumBody.toSums(indexes));
    }
}
