package io.sluice.api.kv;

import io.sluice.api.schema.Ancestor;
import io.sluice.api.schema.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The primary keys of a table and of those interleaved in it at any depth: tells of which table a key is, and where
 * each level of it ends. Immutable, usable by many threads.
 */
public final class InterleavedKeys {
    /** Of none of the tables. */
    public static final int FOREIGN = -1;

    private final Level root;
    private final int depth;

    /** One table: the columns of its keys that no table above it has, and the tables inside of it. */
    private record Level(KeyPlan plan, int from, int depth, int position, List<Level> inside) {
        /** What comes before the level's own columns. */
        byte[] head() {
            return plan.before(from);
        }
    }

    /**
     * Keys of these tables.
     *
     * @param tables the outermost one first, others after the one they are interleaved in
     */
    public InterleavedKeys(List<Table> tables) {
        Map<Integer, Level> byTable = new HashMap<>();
        int deepest = 0;
        for (int position = 0; position < tables.size(); position++) {
            Table table = tables.get(position);
            List<Ancestor> ancestors = table.primary().ancestors();
            int from = ancestors.stream().mapToInt(Ancestor::sharedColumns).sum();
            KeyPlan plan = IndexLayout.ofAll(table).get(0).indexed;
            Level level = new Level(plan, from, ancestors.size(), position, new ArrayList<>());
            byTable.put(table.id(), level);
            deepest = Math.max(deepest, ancestors.size());
            if (position > 0) {
                levelAbove(table, byTable).inside().add(level);
            }
        }
        Level first = byTable.get(tables.get(0).id());
        if (first == null || first.depth() != 0) {
            throw new IllegalArgumentException("table " + tables.get(0).name() + " is not an outermost one");
        }
        root = first;
        depth = deepest + 1;
    }

    private static Level levelAbove(Table table, Map<Integer, Level> byTable) {
        List<Ancestor> ancestors = table.primary().ancestors();
        Level above = ancestors.isEmpty()
                ? null
                : byTable.get(ancestors.get(ancestors.size() - 1).tableId());
        if (above == null) {
            throw new IllegalArgumentException("the table above " + table.name() + " is not before it");
        }
        return above;
    }

    /** How many levels there are: 1 for a table that nothing lies in. */
    public int depth() {
        return depth;
    }

    /**
     * The table that a key is of, by its position, or {@link #FOREIGN}.
     *
     * @param key begins with it
     * @param length of the key
     * @param ends gets, for the key's level and each above it, how many bytes of the key name the row at that level; at
     *     least {@link #depth} long
     * @throws CorruptKvException when the key begins as one of the tables' and does not go on as such
     */
    public int tableOf(byte[] key, int length, int[] ends) {
        ByteCursor cursor = ByteCursor.ofKey(key, length);
        Level level = cursor.skipIfNext(root.head()) ? root : null;
        while (level != null) {
            level.plan().skip(cursor, level.from(), level.plan().size());
            ends[level.depth()] = cursor.position();
            if (cursor.peek() != KeyEncoding.INTERLEAVED_SENTINEL) {
                if (cursor.readByte() != KeyEncoding.FAMILY_ZERO_SUFFIX || cursor.remaining() != 0) {
                    throw cursor.corrupt("does not end as keys of column family 0 do");
                }
                return level.position();
            }
            level = entered(level, cursor);
        }
        return FOREIGN;
    }

    private static @Nullable Level entered(Level level, ByteCursor cursor) {
        for (int i = 0; i < level.inside().size(); i++) {
            Level next = level.inside().get(i);
            if (cursor.skipIfNext(next.head())) {
                return next;
            }
        }
        return null;
    }
}
