package io.sluice.importer.cluster;

import io.sluice.api.error.NodeUnreachableException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks replicas one after the other until one can be reached. */
final class Replicas {
    private Replicas() {}

    /**
     * The first answer.
     *
     * @param members at least one
     * @throws NodeUnreachableException when none can be reached
     */
    static <T extends @Nullable Object> T ask(List<Member> members, Function<Member, T> question) {
        NodeUnreachableException last = null;
        for (Member member : members) {
            try {
                return question.apply(member);
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
