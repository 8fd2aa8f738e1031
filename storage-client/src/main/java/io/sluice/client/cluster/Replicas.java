package io.sluice.client.cluster;

import io.sluice.model.error.NodeUnreachableException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends a request to one replica after the other until one is reachable. */
final class Replicas {
    private Replicas() {}

    /**
     * Returns the first answer.
     *
     * @param members at least one
     * @throws NodeUnreachableException when no replica is reachable
     */
    static <T extends @Nullable Object> T ask(List<Member> members, Function<Member, T> request) {
        NodeUnreachableException last = null;
        for (Member member : members) {
            try {
                return request.apply(member);
            } catch (NodeUnreachableException e) {
                if (last != null) {
                    e.addSuppressed(last);
                }
                last = e;
            }
        }
        throw last == null ? new IllegalArgumentException("no replicas to ask") : last;
    }
}
