package io.sluice.importer.decode.json;

import io.sluice.importer.decode.ColumnDefaults;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.json.MemberNames.Entry;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import io.sluice.model.text.JsonScanner;
import io.sluice.model.text.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads one JSON object into a row. For one thread. */
final class RowReader {
    private static final DatumProblem NULL_REFUSED =
            new DatumProblem(DatumProblem.Code.NOT_NULL, "is NOT NULL but the member is null");
    private static final DatumProblem ABSENT = new DatumProblem(
            DatumProblem.Code.NOT_NULL, "is NOT NULL and has no DEFAULT, but the object has no such member");
    private static final DatumProblem NESTED = new DatumProblem(
            DatumProblem.Code.SYNTAX,
            "the member is an object or an array, which only columns of type JSONB and STRING take, and ARRAY for arrays of"
                    + " scalars");

    /** Most bytes of a name that are decoded for a message. */
    private static final int MAX_NAME_BYTES = 256;

    private final TableDef table;
    private final JsonMembers members;
    private final MemberNames names;
    private final ColumnDefaults defaults;
    private final DatumParser[] parsers;
    private final boolean[] nullable;
    private final boolean[] takesObjects;
    private final boolean[] takesArrays;
    /** Columns of type JSON, which take every member as it is written: a string is a string with its quotes. */
    private final boolean[] takesSource;
    /** Columns that need a member. */
    private final int[] required;
    /** The number of the last object that had a member for the column. */
    private final long[] filled;

    private final JsonScanner in = new JsonScanner();
    private final Row row;
    private byte[] unescapedName = new byte[64];
    private long number;
    private boolean anyKnown;
    private boolean anyUnknown;
    private Reject.@Nullable Problem problem;

    /** @throws BadInputException when a path or a DEFAULT does not fit the table */
    RowReader(TableDef table, JsonMembers members) {
        this.table = table;
        this.members = members;
        names = MemberNames.of(table, members);
        List<String> problems = new ArrayList<>();
        defaults = ColumnDefaults.ofAll(table, problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        List<Column> columns = table.columns();
        row = new Row(columns.size());
        parsers = columns.stream().map(column -> DatumParser.of(column.type())).toArray(DatumParser[]::new);
        nullable = new boolean[columns.size()];
        takesObjects = new boolean[columns.size()];
        takesArrays = new boolean[columns.size()];
        takesSource = new boolean[columns.size()];
        filled = new long[columns.size()];
        for (int i = 0; i < nullable.length; i++) {
            nullable[i] = columns.get(i).nullable();
            TypeKind kind = columns.get(i).type().kind();
            takesSource[i] = kind == TypeKind.JSON;
            takesObjects[i] = takesSource[i] || kind == TypeKind.STRING;
            takesArrays[i] = takesObjects[i] || kind == TypeKind.ARRAY;
        }
        required = table.visibleColumns().stream()
                .mapToInt(Integer::intValue)
                .filter(column -> !nullable[column] && columns.get(column).defaultText() == null)
                .toArray();
    }

    Row row() {
        return row;
    }

    /**
     * Reads the object in a range, which may have white space around it.
     *
     * @return the first problem of a member, or null
     * @throws MalformedJson when the range is not one object
     */
    Reject.@Nullable Problem read(byte[] buffer, int from, int to) throws MalformedJson {
        row.clear();
        defaults.fill(row);
        number++;
        anyKnown = false;
        anyUnknown = false;
        problem = null;
        in.reset(buffer, from, to);
        int first = in.next();
        if (first != '{') {
            in.skip(0);
            throw new MalformedJson(
                    "it is not an object"
                            + (first == '[' ? "; a file that is one array is read with --format json" : ""),
                    from);
        }
        members(names, to, 0);
        if (in.next() >= 0) {
            throw in.unexpected("the end of the record");
        }
        if (problem == null && anyUnknown && !anyKnown) {
            problem = Reject.Problem.ofRecord(
                    Reject.Code.UNKNOWN_MEMBER, "has no member that is a column of table " + table.name());
        }
        for (int column : required) {
            if (filled[column] != number) {
                fail(column, ABSENT);
            }
        }
        return problem;
    }

    private void members(MemberNames level, int end, int depth) throws MalformedJson {
        in.enter(depth);
        in.pos++;
        if (in.next() == '}') {
            in.pos++;
            return;
        }
        Entry entry = level.start;
        do {
            if (in.next() != '"') {
                throw in.unexpected("a member's name");
            }
            Entry expected = entry.successor;
            if (expected != null && expected.isAt(in.buffer, in.pos + 1, end)) {
                in.pos += expected.name.length + 2;
                entry = expected;
            } else {
                Entry found = name(level);
                entry.successor = found;
                entry = found;
            }
            in.expect(':');
            in.next();
            member(entry, end, depth);
        } while (in.more('}'));
    }

    private Entry name(MemberNames level) throws MalformedJson {
        int from = in.pos + 1;
        int to = in.string();
        if (!in.escaped) {
            return level.find(in.buffer, from, to);
        }
        if (unescapedName.length < to - from) {
            unescapedName = new byte[to - from];
        }
        int length = in.unescape(from, to, unescapedName, 0);
        return level.find(unescapedName, 0, length);
    }

    private void member(Entry entry, int end, int depth) throws MalformedJson {
        if (entry.fillsNothing()) {
            anyUnknown = true;
            if (members.rejectUnknown() && problem == null) {
                problem = Reject.Problem.ofRecord(
                        Reject.Code.UNKNOWN_MEMBER,
                        "has member " + excerpt(entry.name) + ", which is no column of table " + table.name());
            }
            in.skip(depth + 1);
            return;
        }
        anyKnown = true;
        int from = in.pos;
        int first = in.next();
        if (entry.inner != null) {
            beginGroup(entry, entry.inner);
        }
        if (entry.inner != null && first == '{') {
            members(entry.inner, end, depth + 1);
            if (entry.column >= 0 && begin(entry.column)) {
                nested(entry.column, from);
            }
        } else if (entry.column < 0) {
            in.skip(depth + 1);
            if (first != 'n' && problem == null) {
                problem = Reject.Problem.ofRecord(
                        Reject.Code.SYNTAX,
                        "has no object in member " + excerpt(entry.name) + ", as --json-path wants it");
            }
        } else {
            value(entry.column, first, depth);
        }
    }

    /** Notes that a member whose members fill columns begins. If it has come before, it takes the place of that one. */
    private void beginGroup(Entry entry, MemberNames inner) {
        if (inner.readIn == number) {
            if (members.lastDuplicate()) {
                forget(inner);
            } else if (problem == null) {
                problem = Reject.Problem.ofRecord(
                        Reject.Code.DUPLICATE_MEMBER,
                        "has several members " + excerpt(entry.name)
                                + ", whose members fill columns; --json-duplicates last takes the last");
            }
        }
        inner.readIn = number;
    }

    /** Sets the columns that members below a member fill as if it were absent. */
    private void forget(MemberNames level) {
        level.readIn = 0;
        for (Entry entry : level.known) {
            if (entry.column >= 0) {
                filled[entry.column] = 0;
                defaults.reset(row, entry.column);
            }
            if (entry.inner != null) {
                forget(entry.inner);
            }
        }
    }

    private void value(int column, int first, int depth) throws MalformedJson {
        int from = in.pos;
        if (first == '"') {
            int to = in.string();
            if (begin(column)) {
                if (takesSource[column]) {
                    parse(column, in.buffer, from, in.pos);
                } else {
                    text(column, from + 1, to);
                }
            }
        } else if (first == '{' || first == '[') {
            in.skip(depth + 1);
            if (begin(column)) {
                nested(column, from);
            }
        } else {
            in.scalar();
            if (!begin(column)) {
                return;
            }
            if (first != 'n') {
                parse(column, in.buffer, from, in.pos);
            } else if (nullable[column]) {
                row.setNull(column);
            } else {
                fail(column, NULL_REFUSED);
            }
        }
    }

    /** Whether a value for the column is to be set: not after a problem, and once unless the last duplicate counts. */
    private boolean begin(int column) {
        if (filled[column] == number && !members.lastDuplicate()) {
            fail(
                    column,
                    Reject.Code.DUPLICATE_MEMBER.text(),
                    "the object has several members for it; --json-duplicates last takes the last");
        }
        filled[column] = number;
        return problem == null;
    }

    private void text(int column, int from, int to) throws MalformedJson {
        if (!in.escaped) {
            parse(column, in.buffer, from, to);
            return;
        }
        int offset = row.scratch(to - from);
        byte[] scratch = row.scratchBuffer();
        int textEnd = in.unescape(from, to, scratch, offset);
        parse(column, scratch, offset, textEnd);
    }

    private void parse(int column, byte[] text, int from, int to) {
        DatumProblem found = parsers[column].parse(text, from, to, row, column);
        if (found != null && problem == null) {
            fail(column, Reject.withValue(found, text, from, to));
        }
    }

    /** Sets a column to the source text of an object or array that ends at the position. */
    private void nested(int column, int from) {
        if (in.buffer[from] == '{' ? takesObjects[column] : takesArrays[column]) {
            parse(column, in.buffer, from, in.pos);
        } else {
            fail(column, NESTED);
        }
    }

    private void fail(int column, @Nullable DatumProblem found) {
        if (found != null) {
            fail(column, found.code().name().toLowerCase(Locale.ROOT), found.message());
        }
    }

    private void fail(int column, String code, String message) {
        if (problem == null) {
            problem = new Reject.Problem(0, table.columns().get(column).name(), code, message);
        }
    }

    private static String excerpt(byte[] name) {
        return Reject.excerpt(new String(name, 0, Math.min(name.length, MAX_NAME_BYTES), StandardCharsets.UTF_8));
    }
}
