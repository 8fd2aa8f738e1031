package io.sluice.api.wire;

import io.sluice.api.node.TableDigest;
import java.util.List;

/**
 * What a table adds up to.
 *
 * @param table the table's name
 * @param digest one line for the whole table
 * @param indexes one sum per index, the primary first
 */
public record DigestBody(String table, String digest, List<SumBody> indexes) {
    public DigestBody {
        indexes = List.copyOf(indexes);
    }

    public static DigestBody of(TableDigest digest) {
        return new DigestBody(digest.table(), digest.digest(), SumBody.of(digest.indexes()));
    }

    public TableDigest toDigest() {
        return new TableDigest(table, SumBody.toSums(indexes));
    }
}
