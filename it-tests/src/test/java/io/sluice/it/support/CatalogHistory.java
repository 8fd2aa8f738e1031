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
 * depend on each other, so each is checked by itself. Operations of which nothing is known stand for each other if they
 * are drops, or make contents that were never read: in any number they double nothing.
 */
public final class CatalogHistory {
    private static final long NEVER = Long.MAX_VALUE;
    /** Bound of the states of one table that are remembered: some hundreds of megabytes. */
    private static final int MOST_STATES = 1_000_000;
    /** Stands for each content that no operation read; no client writes it. */
    private static final String NOT_READ = "not read";

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

        /** The content after this operation, of which nothing is known. */
        private State afterUnknown(State before) {
            return Objects.requireNonNull(after(before));
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

    /** Operations with answers that are explained, and the content after them. */
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

    /**
     * Names a table whose answers no order explains, with all of its operations, or one with too many operations of
     * which nothing is known; null: there is none.
     */
    public synchronized @Nullable String problem() {
        for (Map.Entry<String, List<Operation>> table : tables.entrySet()) {
            List<Operation> all = new ArrayList<>(table.getValue());
            all.sort((a, b) -> Long.compare(a.start, b.start));
            Search search = new Search(withReadContents(all));
            if (!search.explains(new BitSet(), begins.getOrDefault(table.getKey(), new State(null)))) {
                StringBuilder text = new StringBuilder(
                                search.gaveUp()
                                        ? "too many operations without an answer to explain what clients saw of "
                                        : "no order explains what clients saw of ")
                        .append(table.getKey());
                all.forEach(each -> text.append('\n').append(each));
                return text.toString();
            }
        }
        return null;
    }

    /** The operations with one name for all contents that were never read. */
    private static List<Operation> withReadContents(List<Operation> all) {
        Set<String> read = new HashSet<>();
        all.forEach(each -> {
            if (each.kind == Kind.READ && each.content != null) {
                read.add(each.content);
            }
        });
        return all.stream()
                .map(each -> each.kind != Kind.CREATE || read.contains(each.content)
                        ? each
                        : new Operation(each.kind, NOT_READ, each.done, each.start, each.end))
                .toList();
    }

    /** A search for an order of the operations of one table. */
    private static final class Search {
        private final List<Operation> all;
        private final BitSet unknown = new BitSet();
        /** To each state that explains nothing: the sets of operations without an answer that were used up before. */
        private final Map<Seen, List<BitSet>> failed = new HashMap<>();

        private int states;

        private Search(List<Operation> all) {
            this.all = all;
            for (int i = 0; i < all.size(); i++) {
                unknown.set(i, all.get(i).mayBeLeftOut());
            }
        }

        private boolean gaveUp() {
            return states >= MOST_STATES;
        }

        private boolean explains(BitSet explained, State state) {
            long firstEnd = NEVER;
            List<Integer> rest = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                if (!explained.get(i) && !unknown.get(i)) {
                    rest.add(i);
                    firstEnd = Math.min(firstEnd, all.get(i).end);
                }
            }
            if (rest.isEmpty()) {
                return true;
            }
            if (!isNew(explained, state)) {
                return false;
            }
            for (int i : rest) {
                if (explainsWith(i, firstEnd, explained, state)) {
                    return true;
                }
            }
            // Those with one result are alike from here on, so that the earliest stands for all. One that changes
            // nothing may as well take effect later, or never.
            Set<State> results = new HashSet<>(Set.of(state));
            for (int i = unknown.nextSetBit(0); i >= 0; i = unknown.nextSetBit(i + 1)) {
                if (!explained.get(i)
                        && results.add(all.get(i).afterUnknown(state))
                        && explainsWith(i, firstEnd, explained, state)) {
                    return true;
                }
            }
            return false;
        }

        private boolean explainsWith(int next, long firstEnd, BitSet explained, State state) {
            State after = all.get(next).start <= firstEnd ? all.get(next).after(state) : null;
            if (after == null || gaveUp()) {
                return false;
            }
            BitSet more = (BitSet) explained.clone();
            more.set(next);
            return explains(more, after);
        }

        /** Whether no state was seen that had the same behind it, and at least as much before it. */
        private boolean isNew(BitSet explained, State state) {
            BitSet known = (BitSet) explained.clone();
            known.andNot(unknown);
            BitSet used = (BitSet) explained.clone();
            used.and(unknown);
            List<BitSet> others = failed.computeIfAbsent(new Seen(known, state), each -> new ArrayList<>());
            for (BitSet other : others) {
                BitSet moreThanUsed = (BitSet) other.clone();
                moreThanUsed.andNot(used);
                if (moreThanUsed.isEmpty()) {
                    return false;
                }
            }
            others.add(used);
            states++;
            return true;
        }
    }
}
