package io.sluice.sql;

import io.sluice.grammar.Where;
import io.sluice.model.schema.ForeignKey;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a cascading DELETE is equivalent to erasing spans of keys. Pure: reads schemas only. The conditions
 * are those of CockroachDB's interleaved fast path (pull requests 28330 and 49163), except that secondary indexes are
 * allowed.
 *
 * @param members the table and the tables interleaved in it, breadth first
 * @param obstacles reasons why rows must be deleted one by one; empty if spans can be erased
 */
record HierarchyPlan(List<Member> members, List<String> obstacles) {
    HierarchyPlan {
        members = List.copyOf(members);
        obstacles = List.copyOf(obstacles);
    }

    /**
     * One table of the hierarchy.
     *
     * @param cascadeLevels levels of the ancestors whose deletion cascades to this table's rows; 0 is the root
     */
    record Member(Table table, List<Integer> cascadeLevels) {
        Member {
            cascadeLevels = List.copyOf(cascadeLevels);
        }

        int level() {
            return table.primary().ancestors().size();
        }
    }

    /**
     * Builds the plan.
     *
     * @param known all tables
     * @param obstacle a further reason against erasing spans, or null
     */
    static HierarchyPlan of(Collection<Table> known, Table root, Where where, @Nullable String obstacle) {
        Analysis analysis = new Analysis(List.copyOf(known));
        analysis.root(root, where);
        analysis.walk(root);
        analysis.fromOutside();
        analysis.indexesInside();
        analysis.families();
        if (obstacle != null) {
            analysis.obstacles.add(obstacle);
        }
        return new HierarchyPlan(analysis.members, analysis.obstacles);
    }

    boolean bySpan() {
        return obstacles.isEmpty();
    }

    /** Describes how spans are erased, or all obstacles. */
    List<String> describe() {
        if (bySpan()) {
            String tables = members.stream().map(each -> each.table().name()).collect(Collectors.joining(", "));
            boolean indexes =
                    members.stream().anyMatch(each -> each.table().indexes().size() > 1);
            return List.of("by span: scan " + tables + " once, then one range delete per span"
                    + (indexes ? ", and the entries of secondary indexes by key" : ""));
        }
        List<String> lines = new ArrayList<>(List.of("row by row"));
        obstacles.forEach(each -> lines.add("not by span: " + each));
        return lines;
    }

    /** Walks over the schemas and collects members and obstacles. */
    private static final class Analysis {
        private final List<Table> known;
        private final Map<Integer, Table> byId = new HashMap<>();
        private final Map<String, Table> byName = new HashMap<>();
        private final List<Member> members = new ArrayList<>();
        private final List<String> obstacles = new ArrayList<>();

        Analysis(List<Table> known) {
            this.known = known;
            for (Table table : known) {
                byId.put(table.id(), table);
                byName.put(table.name(), table);
            }
        }

        void root(Table root, Where where) {
            if (where.ordinal() > 0) {
                obstacles.add("the condition is on index "
                        + root.indexes().get(where.ordinal()).def().name() + ", not on the primary key");
            }
            if (where.filter() != null) {
                obstacles.add("the condition is not on the first columns of the primary key alone");
            }
            List<Ancestor> above = root.primary().ancestors();
            if (!above.isEmpty()) {
                obstacles.add("table " + root.name() + " is itself interleaved in "
                        + nameOf(above.get(above.size() - 1).tableId()));
            }
        }

        /** An entry of several KVs counts as one row, and its KVs must be joined to find its index entries. */
        void families() {
            members.stream()
                    .map(Member::table)
                    .filter(table -> table.def().families() > 1)
                    .forEach(table -> obstacles.add("table " + table.name() + " has several column families"));
        }

        private String nameOf(int id) {
            Table table = byId.get(id);
            return table == null ? "a table that is gone" : table.name();
        }

        void walk(Table root) {
            members.add(new Member(root, List.of()));
            for (int next = 0; next < members.size(); next++) {
                Table table = members.get(next).table();
                for (Table child : known) {
                    if (liesIn(child.primary(), table)) {
                        members.add(new Member(child, cascadeLevels(child)));
                    }
                }
                innerKeys(table);
            }
            if (members.size() == 1) {
                obstacles.add("no table is interleaved in " + root.name());
            }
        }

        private static boolean liesIn(Index index, Table table) {
            List<Ancestor> above = index.ancestors();
            return !above.isEmpty() && above.get(above.size() - 1).tableId() == table.id();
        }

        private List<Integer> cascadeLevels(Table child) {
            List<Integer> levels = child.def().foreignKeys().stream()
                    .filter(ForeignKey::onDeleteCascade)
                    .map(key -> prefixLevel(child, key))
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
            if (levels.isEmpty()) {
                obstacles.add("table " + child.name()
                        + " refers to no table that it lies in, by its interleave prefix and ON DELETE CASCADE");
            }
            return levels;
        }

        /** Returns the level of a foreign key's parent if the key is exactly the interleave prefix, else null. */
        private @Nullable Integer prefixLevel(Table child, ForeignKey key) {
            List<Ancestor> above = child.primary().ancestors();
            int columns = 0;
            for (int level = 0; level < above.size(); level++) {
                columns += above.get(level).sharedColumns();
                Table ancestor = byId.get(above.get(level).tableId());
                if (ancestor != null && ancestor.name().equals(key.parent())) {
                    TableDef parent = ancestor.def();
                    List<IndexColumn> theirs = parent.primary().columns();
                    List<String> referred = key.parentColumns().isEmpty() ? names(parent, theirs) : key.parentColumns();
                    List<Integer> prefix = child.primary().def().positions().subList(0, columns);
                    boolean same = key.columns().equals(prefix) && referred.equals(names(parent, theirs));
                    return same ? Integer.valueOf(level) : null;
                }
            }
            return null;
        }

        private static List<String> names(TableDef table, List<IndexColumn> columns) {
            return columns.stream()
                    .map(part -> table.columns().get(part.column()).name())
                    .toList();
        }

        /**
         * Checks the foreign keys to tables of the same hierarchy; all tables are known by id, whether visited yet or
         * not.
         */
        private void innerKeys(Table table) {
            for (ForeignKey key : table.def().foreignKeys()) {
                if (inHierarchy(byName.get(key.parent())) && prefixLevel(table, key) == null) {
                    obstacles.add(describe(table.def(), key) + " is not its interleave prefix");
                }
            }
        }

        private boolean inHierarchy(@Nullable Table table) {
            if (table == null) {
                return false;
            }
            int rootId = members.get(0).table().id();
            return table.id() == rootId
                    || table.primary().ancestors().stream().anyMatch(each -> each.tableId() == rootId);
        }

        void fromOutside() {
            for (Table table : known) {
                if (!inHierarchy(table)) {
                    for (ForeignKey key : table.def().foreignKeys()) {
                        if (inHierarchy(byName.get(key.parent()))) {
                            obstacles.add(describe(table.def(), key) + " comes from outside the hierarchy");
                        }
                    }
                }
            }
        }

        void indexesInside() {
            for (Table table : known) {
                for (Index index : table.indexes().subList(1, table.indexes().size())) {
                    if (!index.ancestors().isEmpty()
                            && inHierarchy(byId.get(index.ancestors().get(0).tableId()))) {
                        obstacles.add("index " + index.def().name() + " of table " + table.name()
                                + " is interleaved in the hierarchy");
                    }
                }
            }
        }

        private static String describe(TableDef table, ForeignKey key) {
            return "the foreign key ("
                    + key.columns().stream()
                            .map(column -> table.columns().get(column).name())
                            .collect(Collectors.joining(", "))
                    + ") of table " + table.name() + " to " + key.parent();
        }
    }
}
