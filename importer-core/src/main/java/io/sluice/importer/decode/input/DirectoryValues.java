package io.sluice.importer.decode.input;

import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values that the directories of an input name, as Hive and Spark lay out tables: {@code year=2024/month=1/a.csv}.
 * They fill columns that the file has no field for. Bytes may be written as {@code %XX}, and {@value #NULL_DIRECTORY}
 * is NULL.
 *
 * @param segments the directories' names by the columns' names, as the path has them; of several with the same name the
 *     last one
 */
public record DirectoryValues(Map<String, String> segments) {
    /** No values. */
    static final DirectoryValues NONE = new DirectoryValues(Map.of());

    /** Hive's {@code hive.exec.default.partition.name}, which Spark writes, too. */
    private static final String NULL_DIRECTORY = "__HIVE_DEFAULT_PARTITION__";

    private static final Pattern SEGMENT = Pattern.compile("(?<=^|/)([^/=]+)=([^/]*)(?=/)");

    /** The values of an input's directories. */
    public static DirectoryValues of(InputFile input) {
        return of(input.name());
    }

    /** The values of the directories of a path. */
    public static DirectoryValues of(String path) {
        Map<String, String> segments = new LinkedHashMap<>();
        Matcher found = SEGMENT.matcher(path);
        while (found.find()) {
            segments.put(found.group(1), found.group(2));
        }
        return new DirectoryValues(segments);
    }

    /** The directory of a path, or that above it if it names a value; empty if there is none. */
    public static String above(String path) {
        String directory = path.substring(0, Math.max(0, path.lastIndexOf('/')));
        return directory.replaceFirst("(?:(?:^|/)[^/=]+=[^/]*)+$", "");
    }

    /**
     * The value of each name; NULL where {@value #NULL_DIRECTORY} stands for one.
     *
     * @param where the input, for messages
     * @throws BadInputException if the bytes of a value are not UTF-8
     */
    public Map<String, @Nullable String> values(String where) {
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        segments.forEach((name, text) -> values.put(decodedName(name), value(name, text, where)));
        return values;
    }

    private static @Nullable String value(String name, String text, String where) {
        if (text.equals(NULL_DIRECTORY)) {
            return null;
        }
        String value = decoded(text);
        if (value == null) {
            throw new BadInputException(
                    where + ": the bytes of the directory " + name + "=" + text + " are not UTF-8; rename it");
        }
        return value;
    }

    /** The name of a column; one whose bytes are not UTF-8 is none, and stays as it is. */
    private static String decodedName(String text) {
        String name = decoded(text);
        return name == null ? text : name;
    }

    /** The text with the bytes that {@code %XX} stand for; null if it is not UTF-8 then. */
    private static @Nullable String decoded(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        // The decoder replaces bytes that are not UTF-8, so it gets one character for each byte.
        String bytes =
                new String(text.replace("+", "%2B").getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        try {
            byte[] decoded =
                    URLDecoder.decode(bytes, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(decoded))
                    .toString();
        } catch (IllegalArgumentException e) {
            // A percent sign that stands for itself.
            return text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** The names of the columns of a table that have a value. */
    public List<String> columns(TableDef table) {
        return segments.keySet().stream()
                .map(name -> table.visibleColumn(decodedName(name)))
                .filter(position -> position >= 0)
                .distinct()
                .map(position -> table.columns().get(position).name())
                .toList();
    }

    /** The directories that name values of columns, as a path that ends with a slash; empty if there are none. */
    public String path(TableDef table) {
        return segments.entrySet().stream()
                .filter(each -> table.visibleColumn(decodedName(each.getKey())) >= 0)
                .map(each -> each.getKey() + "=" + each.getValue() + "/")
                .collect(Collectors.joining());
    }

    /**
     * The table with these values as the defaults of their columns.
     *
     * @param where the input, for messages
     * @throws BadInputException if a value is not one of its column, or not UTF-8
     */
    public TableDef fill(TableDef table, String where) {
        if (columns(table).isEmpty()) {
            return table;
        }
        List<Column> columns = new ArrayList<>(table.columns());
        segments.forEach((name, text) -> {
            int position = table.visibleColumn(decodedName(name));
            if (position >= 0) {
                columns.set(position, filled(columns.get(position), value(name, text, where), where));
            }
        });
        return new TableDef(table.name(), columns, table.primary(), table.secondaries(), table.foreignKeys());
    }

    private static Column filled(Column column, @Nullable String text, String where) {
        if (text == null && !column.nullable()) {
            throw new BadInputException(where + ": column " + column.name() + " is NOT NULL, and its directory, "
                    + NULL_DIRECTORY + ", is NULL");
        }
        if (text != null) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            DatumProblem problem = DatumParser.of(column.type()).parse(bytes, 0, bytes.length, new Row(1), 0);
            if (problem != null) {
                throw new BadInputException(where + ": column " + column.name() + " has '" + text
                        + "' from its directory: " + problem.message());
            }
        }
        return new Column(
                column.id(), column.name(), column.type(), column.nullable(), column.hidden(), text, column.family());
    }
}
