package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.ColumnMapping;
import io.sluice.importer.decode.CommonsFormats;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Proposes a table for a CSV file. It reads the file as an import into STRING columns does, and infers each column's
 * type from the values.
 */
public final class CsvInference {
    private static final int SPLIT_BYTES = 1 << 20;

    private final InputFile file;
    private final CsvDialect dialect;
    private final @Nullable List<String> given;
    private final int maxRecordBytes;
    private final long sampleRows;

    private boolean whole = true;

    /**
     * An inference over the first {@code sampleRows} rows.
     *
     * @param columns names of the columns, in the order of the fields; null: those of the header, or c1, c2 and so on
     * @param sampleRows 0: all rows
     */
    public CsvInference(
            InputFile file, CsvDialect dialect, @Nullable List<String> columns, int maxRecordBytes, long sampleRows) {
        this.file = file;
        this.dialect = dialect;
        given = columns;
        this.maxRecordBytes = maxRecordBytes;
        this.sampleRows = sampleRows;
    }

    /**
     * Reads the file, which must be readable twice.
     *
     * @throws BadInputException if it has no records, or its header has an empty or repeated name, or another number of
     *     fields than the given columns
     */
    public InferredTable run(String table) {
        List<String> names = names();
        TextColumns read = read(names);
        List<InferredColumn> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            InferredColumn column = read.evidence().get(i).column(names.get(i), whole ? read.records() : -1);
            columns.add(
                    names.get(i).startsWith(ColumnMapping.SKIP_PREFIX)
                            ? InferredColumn.none(names.get(i), "skipped by --columns")
                            : column);
        }
        return new InferredTable(table, remarks(names, read), columns);
    }

    private List<String> remarks(List<String> names, TextColumns read) {
        List<String> remarks = new ArrayList<>();
        remarks.add("from " + (whole ? "all " : "the first ") + ColumnEvidence.counted(read.records(), "record")
                + " of " + file.name() + (whole ? "" : "; later records were NOT read"));
        if (read.malformed() > 0) {
            remarks.add(read.malformed() + " more records are malformed and were left out");
        }
        if (read.undecodable() > 0) {
            remarks.add(read.undecodable() + " more records are not "
                    + file.encoding().charset().name() + " and were left out: give the file's --charset, such as"
                    + " windows-1252");
        }
        if (given != null) {
            remarks.add("fields are named as by --columns " + String.join(",", given));
        } else if (!dialect.records().header()) {
            remarks.add("columns have no names: read without --header");
        }
        if (names.size() == 1) {
            remarks.add("one column: if there are fields, name what is between them with --delimiter");
        }
        remarks.add(ColumnEvidence.keys("a CSV file", names, read.evidence(), read.records()));
        return remarks;
    }

    /** The names in the header, or c1, c2, ... as many as the first record has fields. */
    private List<String> names() {
        SplitSource.Settings reading = new SplitSource.Settings(
                SPLIT_BYTES, maxRecordBytes, dialect.records().skip(), true);
        try (SplitSource source = new SplitSource(List.of(file), dialect.framing(), reading)) {
            Split split = new Split(SPLIT_BYTES);
            boolean more = source.next(split) && split.start() < split.end();
            byte[] first = split.header();
            if (first == null || (!more && dialect.records().header())) {
                throw new BadInputException(file.name() + ": has no records"
                        + (first == null
                                ? ""
                                : " after its header " + new String(first, StandardCharsets.UTF_8).strip()
                                        + "; if that is a row, say --no-header"));
            }
            List<String> fields = CommonsFormats.names(first, dialect);
            if (given != null && given.size() != fields.size()) {
                throw new BadInputException(file.name() + ": --columns names " + given.size()
                        + " fields, but the first record has " + fields.size());
            }
            if (given != null) {
                return given;
            }
            return dialect.records().header() ? distinct(fields) : numbered(fields.size());
        }
    }

    private List<String> distinct(List<String> fields) {
        Set<String> seen = new HashSet<>();
        List<String> names = new ArrayList<>();
        for (String field : fields) {
            String name = field.strip();
            if (name.isEmpty() || !seen.add(name.toLowerCase(Locale.ROOT))) {
                throw new BadInputException(file.name() + ", header: "
                        + (name.isEmpty() ? "a column has no name" : "column " + name + " is there twice")
                        + "; name the fields with --columns, or correct it");
            }
            names.add(name);
        }
        return names;
    }

    /**
     * Names for the fields of a header that leaves some out, repeats some or breaks lines; null if all can be names.
     */
    static @Nullable List<String> renamed(List<String> header) {
        // Names in several lines, as spreadsheets have them.
        List<String> fields = header.stream()
                .map(field -> field.replaceAll("\\p{Cntrl}+", " ").strip())
                .toList();
        Set<String> seen = new HashSet<>();
        fields.forEach(field -> seen.add(field.toLowerCase(Locale.ROOT)));
        if (seen.size() == fields.size()
                && !seen.contains("")
                && fields.equals(header.stream().map(String::strip).toList())) {
            return null;
        }
        Set<String> taken = new HashSet<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            String field = fields.get(i);
            String name = field.isEmpty() ? "c" + (i + 1) : field;
            for (int n = 2; !taken.add(name.toLowerCase(Locale.ROOT)); n++) {
                String next = (field.isEmpty() ? "c" + (i + 1) : field) + "_" + n;
                name = seen.contains(next.toLowerCase(Locale.ROOT)) ? name : next;
            }
            names.add(name);
        }
        return names;
    }

    private static List<String> numbered(int fields) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= fields; i++) {
            names.add("c" + i);
        }
        return names;
    }

    private TextColumns read(List<String> names) {
        TextColumns columns = new TextColumns(names, dialect, maxRecordBytes);
        SplitSource.Settings reading = new SplitSource.Settings(
                SPLIT_BYTES,
                maxRecordBytes,
                dialect.records().skip(),
                dialect.records().header());
        try (SplitSource source = new SplitSource(List.of(file), dialect.framing(), reading)) {
            Split split = new Split(SPLIT_BYTES);
            while (whole && source.next(split)) {
                whole = columns.take(split, sampleRows);
            }
        }
        return columns;
    }
}
