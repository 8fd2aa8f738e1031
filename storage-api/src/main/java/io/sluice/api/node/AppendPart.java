package io.sluice.api.node;

import java.util.List;

/**
 * The steps of an append on one node, which may hold some of the table's key ranges only. With ranges, a report of
 * overlap covers those of which the node has the first replica, and its checksums after the publication are only what
 * the import adds to them and takes from them.
 */
public interface AppendPart extends AppendSession {
    /** The number of a list from a client of an earlier build, which numbers none. */
    long UNNUMBERED = 0;

    /**
     * Sets a part of the rows that the publication deletes, as {@link #replace} sets all. The node deletes the KVs in
     * its ranges. A call may be repeated, also after later parts of its list.
     *
     * @param list number of the list in this attempt; the first part of a list with a greater number ends the earlier
     *     one
     * @param first whether it is the first part of the list
     * @param rows the rows' primary KVs; an empty value: the node has the row
     */
    void replaceRows(long list, boolean first, List<OverlapReport.Holder> rows);

    /** The rows of these primary keys for {@link #replaceRows}, of which the node reads the values itself. */
    static List<OverlapReport.Holder> rowsOf(List<byte[]> primaryKeys) {
        return primaryKeys.stream()
                .map(key -> new OverlapReport.Holder(key, new byte[0]))
                .toList();
    }

    /**
     * Makes everything durable that an entry of the cluster's log needs to publish the node's part. From then on the
     * part is kept for as long as the freeze lasts.
     *
     * @param owner owner of the table's freeze, which the node must have applied
     * @param after checksums of the whole table after the publication, per index
     */
    void prepare(String owner, List<IndexChecksum> after);
}
