package io.sluice.importer.decode.json;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Maps members of JSON objects to columns. A column without a path takes the member of its name.
 *
 * @param paths assignments {@code COLUMN=PATH}; a path is the names of nested members with dots between them, and a
 *     backslash makes a dot or a backslash part of a name
 * @param rejectUnknown whether an object with a member that fills no column is a reject; else the member is ignored
 * @param lastDuplicate whether the last of several members for one column counts; else the object is a reject
 */
public record JsonMembers(List<String> paths, boolean rejectUnknown, boolean lastDuplicate) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** By name; unknown members are ignored, duplicate ones are rejects. */
    public static final JsonMembers BY_NAME = new JsonMembers(List.of(), false, false);

    public JsonMembers {
        paths = List.copyOf(paths);
    }

    /**
     * The paths by column position, in the order of the options.
     *
     * @throws BadInputException naming all problems
     */
    Map<Integer, List<String>> byColumn(TableDef table) {
        Map<Integer, List<String>> byColumn = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        for (String assignment : paths) {
            int equals = assignment.indexOf('=');
            List<String> names = equals < 0 ? List.of("") : names(assignment.substring(equals + 1));
            if (equals <= 0 || names.contains("")) {
                problems.add("--json-path " + assignment
                        + ": must be COLUMN=PATH, such as city=address.city, without empty names");
                continue;
            }
            int column = table.visibleColumn(assignment.substring(0, equals).strip());
            if (column < 0) {
                problems.add("--json-path " + assignment + ": table " + table.name() + " has no such column");
            } else if (byColumn.put(column, names) != null) {
                problems.add("--json-path " + assignment + ": the column has a path already");
            }
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        return byColumn;
    }

    private static List<String> names(String path) {
        List<String> names = new ArrayList<>();
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '\\' && i + 1 < path.length()) {
                name.append(path.charAt(++i));
            } else if (c == '.') {
                names.add(name.toString());
                name.setLength(0);
            } else {
                name.append(c);
            }
        }
        names.add(name.toString());
        return names;
    }
}
