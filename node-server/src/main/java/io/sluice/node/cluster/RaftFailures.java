package io.sluice.node.cluster;

import io.sluice.api.wire.ClusterBody.Member;
import java.io.IOException;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.protocol.exceptions.RaftRetryFailureException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.protocol.exceptions.TimeoutIOException;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;

/** Why Ratis has not done a request, in words of the cluster: its own messages have the request, and ids for names. */
final class RaftFailures {
    private RaftFailures() {}

    /**
     * Tells the reason.
     *
     * @param voters ids of the members that vote
     */
    static String reason(IOException e, Collection<Member> members, Set<String> voters) {
        if (e instanceof ReconfigurationInProgressException) {
            return "another change of the voters is under way; it is tried again";
        }
        if (e instanceof SetConfigurationException) {
            return "the voters were changed meanwhile; it is tried again";
        }
        if (e instanceof RaftRetryFailureException
                || e instanceof ReconfigurationTimeoutException
                || e instanceof TimeoutIOException
                || e.getCause() instanceof StatusRuntimeException) {
            return "not enough members answer, of " + named(members, voters);
        }
        if (e instanceof NotLeaderException
                || e instanceof LeaderNotReadyException
                || e instanceof LeaderSteppingDownException) {
            return "the members choose a leader; try again in some seconds";
        }
        return e instanceof RaftException ? e.getClass().getSimpleName() : String.valueOf(e.getMessage());
    }

    private static String named(Collection<Member> members, Set<String> voters) {
        return members.stream()
                .map(member -> member.name() + " (" + member.raft()
                        + (voters.contains(member.id()) ? ")" : ", which is no voter yet)"))
                .collect(Collectors.joining(", "));
    }
}
