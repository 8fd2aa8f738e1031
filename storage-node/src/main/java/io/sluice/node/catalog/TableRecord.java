package io.sluice.node.catalog;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The catalog record of a published table.
 *
 * @param table the table and its ids
 * @param family the column family of its KVs; that of its root when it is interleaved
 * @param imported current checksum of each index: as published, and as changed by statements since
 * @param publishedAtMillis time of the publication, milliseconds since 1970-01-01 UTC
 * @param directory which nodes hold which keys
 * @param published checksum of each index at the publication; null: the same as {@code imported}
 * @param claim fencing token of the import that published it, kept for a lease; null later, or when it had none
 * @param appends fencing tokens of the latest imports that added rows, the latest last; null: none
 */
public record TableRecord(
        Table table,
        String family,
        List<IndexChecksum> imported,
        long publishedAtMillis,
        RangeDirectory directory,
        @Nullable List<IndexChecksum> published,
        @Nullable FencingToken claim,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<FencingToken> appends) {
    /** Clients of earlier appends have got their answer: these must have ended before the next one began. */
    private static final int MOST_APPENDS = 16;

    public TableRecord {
        imported = List.copyOf(imported);
        // Records of an earlier version lack the directory.
        directory = directory == null ? RangeDirectory.SINGLE_NODE : directory;
    }

    /** The table's status for clients. */
    public TableStatus status() {
        return new TableStatus(
                table, imported, Instant.ofEpochMilli(publishedAtMillis), directory, orNow(published, imported));
    }

    /** This record with the checksums after statements. */
    TableRecord withChecksums(List<IndexChecksum> sums) {
        return new TableRecord(
                table, family, sums, publishedAtMillis, directory, orNow(published, imported), claim, appends);
    }

    /** This record after an import added rows. */
    TableRecord appendedTo(List<IndexChecksum> sums, long nowMillis, @Nullable FencingToken token) {
        List<FencingToken> tokens = new ArrayList<>(appends == null ? List.of() : appends);
        if (token != null) {
            tokens.add(token);
        }
        List<FencingToken> last = tokens.subList(Math.max(0, tokens.size() - MOST_APPENDS), tokens.size());
        return new TableRecord(
                table, family, sums, nowMillis, directory, null, claim, last.isEmpty() ? null : List.copyOf(last));
    }

    /** The fencing token of an import that published the table or added rows to it; null if it is not known. */
    public @Nullable FencingToken tokenOf(UUID importId) {
        if (claim != null && claim.importId().equals(importId)) {
            return claim;
        }
        for (FencingToken token : appends == null ? List.<FencingToken>of() : appends) {
            if (token.importId().equals(importId)) {
                return token;
            }
        }
        return null;
    }

    boolean hasTokens() {
        return claim != null || appends != null;
    }

    /**
     * This record after its ranges were moved.
     *
     * @param stays whether this node had ranges and has some, so that the changes that it has counted stay; those of a
     *     node that has left are in {@code base}, and must not count again when it comes back
     */
    TableRecord movedTo(RangeDirectory next, List<IndexChecksum> base, boolean stays) {
        List<IndexChecksum> before = orNow(published, imported);
        List<IndexChecksum> now = new ArrayList<>();
        for (int i = 0; i < base.size(); i++) {
            KvChecksum counted =
                    stays ? imported.get(i).sum().minus(before.get(i).sum()) : KvChecksum.EMPTY;
            now.add(new IndexChecksum(base.get(i).index(), base.get(i).sum().plus(counted)));
        }
        return new TableRecord(table, family, now, publishedAtMillis, next, base, claim, appends);
    }

    private static List<IndexChecksum> orNow(@Nullable List<IndexChecksum> published, List<IndexChecksum> imported) {
        return published == null ? imported : published;
    }

    TableRecord withoutTokens() {
        return new TableRecord(table, family, imported, publishedAtMillis, directory, published, null, null);
    }
}
