package io.sluice.api.wire;

import io.sluice.api.node.OverlapReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bodies of the steps that only an append has. Keys and values are base64. */
public final class AppendBody {
    /** Maximum number of colliding keys in one {@link Overlap}. */
    public static final int MOST_COLLISIONS = 100_000;
    /** Maximum number of keys in one {@link Keys}. */
    public static final int MOST_KEYS = 1_024;
    /** Bytes of keys or values after which a body ends, in one with at least one key or row. */
    public static final int PAGE_BYTES = 1 << 20;

    private AppendBody() {}

    /**
     * The answer to {@link ImportStep#OVERLAP}, whose query has the numbers {@code skip} and {@code most}.
     *
     * @param after checksum of the table after the publication, per index
     * @param repeated checksum of the KVs that the table has already, per index
     * @param collisions keys that the table has with other values: from the one after {@code skip} others on
     * @param collided total number of such keys
     */
    public record Overlap(
            List<ChecksumBody> after,
            List<ChecksumBody> repeated,
            List<OverlapReport.IndexKey> collisions,
            long collided) {
        public static Overlap of(OverlapReport report) {
            return new Overlap(
                    ChecksumBody.of(report.after()),
                    ChecksumBody.of(report.repeated()),
                    report.collisions(),
                    report.collided());
        }

        public OverlapReport toReport() {
            return new OverlapReport(ChecksumBody.toSums(after), ChecksumBody.toSums(repeated), collisions, collided);
        }
    }

    /**
     * Keys of indexes.
     *
     * @param keys at most {@link #MOST_KEYS}
     */
    public record Keys(@Nullable List<OverlapReport.IndexKey> keys) {}

    /**
     * The rows that hold {@link Keys}.
     *
     * @param rows one per key in their order, null where no row holds it; without the last ones if they exceed
     *     {@link #PAGE_BYTES}; the client asks for those again
     */
    public record Holders(List<OverlapReport.@Nullable Holder> rows) {}

    /**
     * A part of the rows that an append replaces.
     *
     * @param first whether it begins the list anew
     * @param rows the rows' primary KVs; an empty value: the node has the row
     */
    public record Replaced(boolean first, @Nullable List<OverlapReport.Holder> rows) {}

    /**
     * The body of a request to make an append durable, before an entry of the cluster's log publishes it.
     *
     * @param owner owner of the table's freeze
     * @param after checksum of the whole table after the publication, per index
     */
    public record Prepare(@Nullable String owner, @Nullable List<ChecksumBody> after) {}
}
