package io.sluice.model.kv;

import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses primary keys of a table and of the tables interleaved in it at any depth: finds the table of a key and the end
 * of each level. Immutable and thread-safe.
 */
public final class InterleavedKeys {
    /** The key belongs to none of the tables. */
    public static final int FOREIGN = -1;

    private final Level root;
    private final int depth;

    /** One table: the key columns below its parent's, and the tables interleaved in it. */
    private record Level(KeyPlan plan, int from, int depth, int position, List<Level> inside) {
        /** The bytes before the level's own columns. */
        byte[] head() {
            return plan.before(from);
        }
    }

    /**
     * Creates a parser for the keys of these tables.
     *
     * @param tables the outermost table first, every other table after its interleave parent
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

    /** The number of levels; 1 for a table without interleaved tables. */
    public int depth() {
        return depth;
    }

    /**
     * Finds the position of the table that a key belongs to, or {@link #FOREIGN}.
     *
     * @param key buffer that begins with the key
     * @param length length of the key
     * @param ends receives, for the key's level and each level above, the length of the key prefix of that level's row;
     *     at least {@link #depth} long
     * @throws CorruptKvException if the key begins with a table's prefix but is not a valid key of that table
     */
    public int tableOf(byte[] key, int length, int[] ends) {
        ByteCursor cursor = ByteCursor.ofKey(key, length);
        Level level = cursor.skipIfNext(root.head()) ? root : null;
        while (level != null) {
            level.plan().skip(cursor, level.from(), level.plan().size());
            ends[level.depth()] = cursor.position();
            if (cursor.peek() != KeyEncoding.INTERLEAVED_SENTINEL) {
                if (cursor.position() != EntryKeys.sharedBytes(key, 0, length)) {
                    throw cursor.corrupt("does not end with the suffix of a column family");
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
