package io.sluice.it.support;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operations of clients on tables with their answers, and the times of both. {@link #problem} tells whether some order
 * of the operations explains all answers, in which each operation takes effect at one moment between its request and
 * its answer (linearizability). Thread-safe.
 *
 * <p>The check is that of Wing and Gong (1993), with Lowe's (2017) memory of states that were seen: it takes an
 * operation that no other had ended before, tries to explain its answer, and goes on with the rest. Tables do not
 * depend on each other, so each is checked by itself. Drops of which nothing is known stand for each other: in any
 * number they double nothing.
 */
public final class CatalogHistory {
    private static final long NEVER = Long.MAX_VALUE;

    private final Map<String, List<Operation>> tables = new HashMap<>();
    /** Contents of tables before their operations, if not none. */
    private final Map<String, State> begins = new HashMap<>();

    /** Kinds of operations on a table. */
    public enum Kind {
        /** Makes the table with a content, if there is none. */
        CREATE,
        /** Drops the table, if there is one. Of two at the same time both succeed. */
        DROP,
        /** Reads the content, or that there is no table. */
        READ
    }

    /**
     * An operation.
     *
     * @param content of a CREATE, what it makes; of a READ, what it read, or null for no table
     * @param done of CREATE and DROP: whether it took effect; null: not known
     * @param start time of the request
     * @param end time of the answer; an operation of which nothing is known may take effect at any time after its start
     */
    public record Operation(
            Kind kind, @Nullable String content, @Nullable Boolean done, long start, long end) {
        public Operation {
            end = kind != Kind.READ && done == null ? NEVER : end;
        }

        private boolean mayBeLeftOut() {
            return kind != Kind.READ && done == null;
        }

        /** The content after this operation; null if its answer contradicts the content before. */
        private @Nullable State after(State before) {
            boolean there = before.content != null;
            return switch (kind) {
                case READ -> Objects.equals(content, before.content) ? before : null;
                case CREATE -> done == null || done != there ? new State(there ? before.content : content) : null;
                case DROP -> done == null || done || !there ? new State(null) : null;
            };
        }
    }

    /** The content of a table; null: there is none. */
    private record State(@Nullable String content) {}

    /** Operations that are explained, and the content after them. */
    private record Seen(BitSet explained, State state) {}

    /** Adds an operation that was answered, or given up. */
    public synchronized void add(String table, Operation operation) {
        tables.computeIfAbsent(table, name -> new ArrayList<>()).add(operation);
    }

    /**
     * Forgets a table's operations at a moment without any, except those of which nothing is known: they may take
     * effect later. It has this content then, or null for no table.
     */
    public synchronized void goOnFrom(String table, @Nullable String content) {
        begins.put(table, new State(content));
        tables.getOrDefault(table, new ArrayList<>()).removeIf(each -> !each.mayBeLeftOut());
    }

    /** Number of operations. */
    public synchronized int size() {
        return tables.values().stream().mapToInt(List::size).sum();
    }

    /** Names a table whose answers no order explains, with all of its operations; null: there is none. */
    public synchronized @Nullable String problem() {
        for (Map.Entry<String, List<Operation>> table : tables.entrySet()) {
            List<Operation> all = new ArrayList<>(table.getValue());
            all.sort((a, b) -> Long.compare(a.start, b.start));
            if (!explains(all, new BitSet(), begins.getOrDefault(table.getKey(), new State(null)), new HashSet<>())) {
                StringBuilder text = new StringBuilder("no order explains what clients saw of ").append(table.getKey());
                all.forEach(each -> text.append('\n').append(each));
                return text.toString();
            }
        }
        return null;
    }

    private static boolean explains(List<Operation> all, BitSet explained, State state, Set<Seen> seen) {
        long firstEnd = NEVER;
        boolean rest = false;
        for (int i = explained.nextClearBit(0); i < all.size(); i = explained.nextClearBit(i + 1)) {
            firstEnd = Math.min(firstEnd, all.get(i).end);
            rest |= !all.get(i).mayBeLeftOut();
        }
        if (!rest) {
            return true;
        }
        boolean droppedUnknown = false;
        for (int i = explained.nextClearBit(0); i < all.size(); i = explained.nextClearBit(i + 1)) {
            Operation next = all.get(i);
            State after = next.start <= firstEnd ? next.after(state) : null;
            // One of which nothing is known, and which changes nothing, may as well take effect later, or never.
            if (after == null || (next.mayBeLeftOut() && after.equals(state))) {
                continue;
            }
            if (next.mayBeLeftOut() && next.kind == Kind.DROP) {
                // All of them are alike from here on, so that the earliest stands for all.
                if (droppedUnknown) {
                    continue;
                }
                droppedUnknown = true;
            }
            BitSet more = (BitSet) explained.clone();
            more.set(i);
            if (seen.add(new Seen(more, after)) && explains(all, more, after, seen)) {
                return true;
            }
        }
        return false;
    }
}
