package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as one of its nodes sees it: the body of {@code GET /v1/cluster}.
 *
 * @param id id of the cluster
 * @param node id of the node that answers
 * @param leader id of the leading node; null while the nodes elect one
 * @param applied index of the last entry of the replicated log that the node has applied
 * @param members all nodes, by name
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClusterBody(String id, String node, @Nullable String leader, long applied, List<Member> members) {
    public ClusterBody {
        members = List.copyOf(members);
    }

    /** The leading member; null while the nodes elect one. */
    public @Nullable Member leading() {
        return members.stream()
                .filter(member -> member.id().equals(leader))
                .findFirst()
                .orElse(null);
    }

    /**
     * A node of a cluster.
     *
     * @param id id of the node's store
     * @param name name in messages, unique in the cluster
     * @param url where it serves: {@code http://HOST:PORT} or {@code https://HOST:PORT}
     * @param raft where it takes part in the consensus: {@code HOST:PORT}
     */
    public record Member(String id, String name, String url, String raft) {}
}
