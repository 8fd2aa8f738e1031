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
 * @param lacking the tables of the answering node that have fewer replicas than they should have
 * @param suspects members that a process needed and that did not answer
 * @param learners ids of the members that follow the log without a vote
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClusterBody(
        String id,
        String node,
        @Nullable String leader,
        long applied,
        List<Member> members,
        List<Lacking> lacking,
        List<Suspect> suspects,
        List<String> learners) {
    public ClusterBody {
        members = List.copyOf(members);
        // A node of an earlier version does not tell.
        lacking = lacking == null ? List.of() : List.copyOf(lacking);
        suspects = suspects == null ? List.of() : List.copyOf(suspects);
        learners = learners == null ? List.of() : List.copyOf(learners);
    }

    /** A copy with the tables that lack replicas. */
    public ClusterBody withLacking(List<Lacking> tables) {
        return new ClusterBody(id, node, leader, applied, members, tables, suspects, learners);
    }

    /**
     * A table with fewer replicas than it should have.
     *
     * @param table its name
     * @param ranges number of its key ranges
     * @param replicas replicas that each range should have
     * @param missing replicas that are on no node
     */
    public record Lacking(String table, int ranges, int replicas, int missing) {}

    /**
     * A member that may be lost. It serves no rows until it is back.
     *
     * @param node its id
     * @param token id of the suspicion
     * @param pending whether the cluster waits for it; then the leader leaves it out
     * @param leftOut whether tables were moved off it
     */
    public record Suspect(String node, String token, boolean pending, boolean leftOut) {}

    /** The suspicion of a member; null if there is none. */
    public @Nullable Suspect suspect(String id) {
        return suspects.stream()
                .filter(one -> one.node().equals(id))
                .findFirst()
                .orElse(null);
    }

    /** The role of a member, as words for a reader: leader, learner, or member. */
    public String role(Member member) {
        if (member.id().equals(leader)) {
            return "leader";
        }
        return learners.contains(member.id()) ? "learner" : "member";
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
