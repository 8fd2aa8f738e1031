package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.wire.ClusterBody.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of a cluster: the body of {@code POST /v1/cluster/changes}, and an entry of the replicated log. All of it
 * takes effect at once.
 *
 * @param added member to add, or to replace if its id is known; null: none
 * @param removed ids of members to remove
 * @param tables new places of tables
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ClusterChange(@Nullable Member added, List<String> removed, List<Moved> tables) {
    public ClusterChange {
        removed = removed == null ? List.of() : List.copyOf(removed);
        tables = tables == null ? List.of() : List.copyOf(tables);
    }

    public static ClusterChange adding(Member member) {
        return new ClusterChange(member, List.of(), List.of());
    }

    /**
     * A table whose ranges are on other nodes from now on. It takes effect on a node if its epoch is later than that of
     * the node's directory.
     *
     * @param tableId the table's id
     * @param directory the same key ranges, and their nodes
     * @param published checksum of each index without the changes that the nodes of {@code directory} have counted
     *     since the publication; it makes up for the counts of a node that leaves
     */
    public record Moved(int tableId, DirectoryBody directory, List<ChecksumBody> published) {
        public Moved {
            RangeDirectory unused = Wire.required("directory", directory).toDirectory();
            published = List.copyOf(Wire.required("published", published));
        }

        public static Moved of(int tableId, RangeDirectory directory, List<IndexChecksum> published) {
            return new Moved(tableId, DirectoryBody.of(directory), ChecksumBody.of(published));
        }
    }
}
