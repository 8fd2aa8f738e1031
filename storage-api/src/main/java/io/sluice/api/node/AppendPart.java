package io.sluice.api.node;

import java.util.List;

/**
 * The steps of an append on one node, which may hold some of the table's key ranges only. With ranges, a report of
 * overlap covers those of which the node has the first replica, and its checksums after the publication are only what
 * the import adds to them and takes from them.
 */
public interface AppendPart extends AppendSession {
    @Override
    default void replace(List<byte[]> primaryKeys) {
        replaceRows(
                true,
                primaryKeys.stream()
                        .map(key -> new OverlapReport.Holder(key, new byte[0]))
                        .toList());
    }

    /**
     * Sets a part of the rows that the publication deletes, as {@link #replace} sets all. The node deletes the KVs in
     * its ranges.
     *
     * @param first whether it begins the list anew
     * @param rows the rows' primary KVs; an empty value: the node has the row
     */
    void replaceRows(boolean first, List<OverlapReport.Holder> rows);

    /**
     * Makes everything durable that an entry of the cluster's log needs to publish the node's part. From then on the
     * part is kept for as long as the freeze lasts.
     *
     * @param owner owner of the table's freeze, which the node must have applied
     * @param after checksums of the whole table after the publication, per index
     */
    void prepare(String owner, List<IndexChecksum> after);
}
