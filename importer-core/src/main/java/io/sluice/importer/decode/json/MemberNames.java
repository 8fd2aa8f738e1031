package io.sluice.importer.decode.json;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of one object and what they fill. Names are compared as bytes. Objects of a file mostly have the same
 * members in the same order, so each entry remembers which one followed it last.
 */
final class MemberNames {
    /** Most names that fill nothing and are remembered; others are looked up as strings, which is slower. */
    private static final int MAX_UNKNOWN = 1_000;

    /** A member by its name. Entries of names that fill nothing have no column and no inner members. */
    static final class Entry {
        final byte[] name;
        /** Whether JSON writes the name without escapes. */
        private final boolean plain;

        int column = -1;

        @Nullable
        MemberNames inner;

        /** The entry that followed this one last. */
        @Nullable
        Entry successor;

        Entry(String name) {
            this.name = name.getBytes(StandardCharsets.UTF_8);
            plain = name.chars().noneMatch(c -> c < ' ' || c == '"' || c == '\\');
        }

        boolean fillsNothing() {
            return column < 0 && inner == null;
        }

        /** Whether the buffer has this name at a position, with a quote behind it. */
        boolean isAt(byte[] buffer, int from, int end) {
            int to = from + name.length;
            return plain && to < end && buffer[to] == '"' && Arrays.equals(buffer, from, to, name, 0, name.length);
        }
    }

    /** The members that fill columns, or have members that do. */
    final List<Entry> known = new ArrayList<>();

    /** The number of the last object in which the member with these members was read. */
    long readIn;

    private Entry[] slots = new Entry[64];
    private int used;
    private int unknown;
    /** The entry that is before the first member of an object. */
    final Entry start = new Entry("");

    /** The members that fill a table's columns. */
    static MemberNames of(TableDef table, JsonMembers members) {
        Map<Integer, List<String>> paths = members.byColumn(table);
        MemberNames root = new MemberNames();
        for (int column : table.visibleColumns()) {
            if (!paths.containsKey(column)) {
                root.entry(table.columns().get(column).name()).column = column;
            }
        }
        paths.forEach((column, path) -> root.add(path, column));
        return root;
    }

    private void add(List<String> path, int column) {
        Entry entry = entry(path.get(0));
        if (path.size() == 1) {
            if (entry.column >= 0) {
                throw new BadInputException("--json-path: member " + path.get(0)
                        + " would fill two columns; give each column a path of its own");
            }
            entry.column = column;
            return;
        }
        if (entry.inner == null) {
            entry.inner = new MemberNames();
        }
        entry.inner.add(path.subList(1, path.size()), column);
    }

    private Entry entry(String name) {
        for (Entry entry : known) {
            if (Arrays.equals(entry.name, name.getBytes(StandardCharsets.UTF_8))) {
                return entry;
            }
        }
        Entry entry = new Entry(name);
        known.add(entry);
        put(entry);
        return entry;
    }

    /** The entry of a name; for one that differs only in case, an entry that fills the same. */
    Entry find(byte[] buffer, int from, int to) {
        int slot = slot(buffer, from, to);
        Entry entry = slots[slot];
        if (entry != null) {
            return entry;
        }
        String name = new String(buffer, from, to - from, StandardCharsets.UTF_8);
        Entry made = new Entry(name);
        for (Entry candidate : known) {
            if (new String(candidate.name, StandardCharsets.UTF_8).equalsIgnoreCase(name)) {
                made.column = candidate.column;
                made.inner = candidate.inner;
                break;
            }
        }
        if (unknown < MAX_UNKNOWN && made.name.length == to - from) {
            unknown++;
            put(made);
        }
        return made;
    }

    private void put(Entry entry) {
        if (2 * (used + 1) > slots.length) {
            Entry[] old = slots;
            slots = new Entry[2 * old.length];
            used = 0;
            for (Entry each : old) {
                if (each != null) {
                    put(each);
                }
            }
        }
        slots[slot(entry.name, 0, entry.name.length)] = entry;
        used++;
    }

    /** The slot of a name, or the free one where it belongs. */
    private int slot(byte[] buffer, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + buffer[i];
        }
        int slot = (hash ^ hash >>> 16) & slots.length - 1;
        while (true) {
            Entry entry = slots[slot];
            if (entry == null || Arrays.equals(buffer, from, to, entry.name, 0, entry.name.length)) {
                return slot;
            }
            slot = slot + 1 & slots.length - 1;
        }
    }
}
