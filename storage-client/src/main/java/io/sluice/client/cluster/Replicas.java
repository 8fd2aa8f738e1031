package io.sluice.client.cluster;

import io.sluice.model.error.NodeUnreachableException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends a request to one replica after the other until one is reachable. */
final class Replicas {
    private Replicas() {}

    /**
     * Time for which a read follows keys that move: the nodes learn one after the other where they are. Also time for
     * the nodes to elect a leader when theirs is lost: none of them has contact to most others until then.
     */
    static final long FOLLOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Reads a table, and again where its keys are now if they were moved meanwhile, or if their nodes lack contact.
     *
     * @param find finds the table's current places
     */
    static <T extends @Nullable Object> T reading(Supplier<TableView> find, Function<TableView, T> read) {
        long epoch = -1;
        long end = 0;
        while (true) {
            TableView table = find.get();
            if (table.directory().epoch() != epoch) {
                epoch = table.directory().epoch();
                end = System.nanoTime() + FOLLOW_NANOS;
            }
            try {
                return read.apply(table);
            } catch (NodeUnreachableException e) {
                pauseUntil(end, e);
            }
        }
    }

    /** Reads one node, and again while it lacks contact to most others, for as long as an election may take. */
    static <T> T waiting(Supplier<T> read) {
        long end = System.nanoTime() + FOLLOW_NANOS;
        while (true) {
            try {
                return read.get();
            } catch (NodeUnreachableException e) {
                pauseUntil(end, e);
            }
        }
    }

    private static void pauseUntil(long end, NodeUnreachableException failure) {
        if (!failure.readAgain() || System.nanoTime() - end > 0) {
            throw failure;
        }
        TableFreeze.pause();
    }

    /** Of two failures the one that decides what to do: after some, the keys can be read soon. */
    static NodeUnreachableException deciding(
            @Nullable NodeUnreachableException first, NodeUnreachableException second) {
        if (first == null) {
            return second;
        }
        NodeUnreachableException decides = first.readAgain() ? first : second;
        decides.addSuppressed(first.readAgain() ? second : first);
        return decides;
    }

    /**
     * Returns the first answer.
     *
     * @param members at least one
     * @throws NodeUnreachableException when no replica is reachable; {@link NodeUnreachableException#readAgain} if that
     *     is so for one of them
     */
    static <T extends @Nullable Object> T ask(List<Member> members, Function<Member, T> request) {
        NodeUnreachableException last = null;
        for (Member member : members) {
            try {
                return request.apply(member);
            } catch (NodeUnreachableException e) {
                last = deciding(last, e);
            }
        }
        throw last == null ? new IllegalArgumentException("no replicas to ask") : last;
    }
}
