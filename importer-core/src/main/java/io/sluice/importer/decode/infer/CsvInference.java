package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.CommonsFormats;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Proposes a table for a CSV file. It reads the file as an import into STRING columns does, and infers each column's
 * type from the values.
 */
public final class CsvInference {
    private static final int SPLIT_BYTES = 1 << 20;

    /** Nothing is stored, so nothing needs a key. */
    private static final IndexDef NO_INDEX =
            new IndexDef(IndexDef.PRIMARY_ID, IndexDef.PRIMARY_NAME, true, List.of(), List.of(), null);

    private final InputFile file;
    private final CsvDialect dialect;
    private final int maxRecordBytes;
    private final long sampleRows;

    private long records;
    private long malformed;
    private boolean whole = true;

    /**
     * An inference over the first {@code sampleRows} rows.
     *
     * @param sampleRows 0: all rows
     */
    public CsvInference(InputFile file, CsvDialect dialect, int maxRecordBytes, long sampleRows) {
        this.file = file;
        this.dialect = dialect;
        this.maxRecordBytes = maxRecordBytes;
        this.sampleRows = sampleRows;
    }

    /**
     * Reads the file, which must be readable twice.
     *
     * @throws BadInputException if it has no records, or its header has an empty or repeated name
     */
    public InferredTable run(String table) {
        List<String> names = names();
        List<ColumnEvidence> evidence = new ArrayList<>();
        names.forEach(name -> evidence.add(new ColumnEvidence()));
        read(names, evidence);
        List<InferredColumn> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            columns.add(evidence.get(i).column(names.get(i)));
        }
        return new InferredTable(table, remarks(), columns);
    }

    private List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        remarks.add("from " + (whole ? "all " : "the first ") + records + " records of " + file.name()
                + (whole ? "" : "; later records were NOT read"));
        if (malformed > 0) {
            remarks.add(malformed + " more records are malformed and were left out");
        }
        if (!dialect.records().header()) {
            remarks.add("columns have no names: read without --header");
        }
        remarks.add("a CSV file names no keys: without a PRIMARY KEY rows are numbered; declare one if there is one");
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
                throw new BadInputException(file.name() + ": has no records");
            }
            List<String> fields = CommonsFormats.names(first, dialect);
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
                        + "; leave --header away, or correct it");
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

    private void read(List<String> names, List<ColumnEvidence> evidence) {
        CsvFormat format = new CsvFormat(texts(names), dialect, names, maxRecordBytes);
        SplitSource.Settings reading = new SplitSource.Settings(
                SPLIT_BYTES,
                maxRecordBytes,
                dialect.records().skip(),
                dialect.records().header());
        try (SplitSource source = new SplitSource(List.of(file), dialect.framing(), reading)) {
            SplitDecoder decoder = SplitDecoder.of(format);
            Split split = new Split(SPLIT_BYTES);
            while (whole && source.next(split)) {
                decoder.decode(split, (row, offset) -> take(row, evidence), reject -> malformed++);
            }
        }
    }

    private void take(Row row, List<ColumnEvidence> evidence) {
        if (sampleRows > 0 && records == sampleRows) {
            whole = false;
            return;
        }
        records++;
        for (int i = 0; i < evidence.size(); i++) {
            if (row.isNull(i)) {
                evidence.get(i).addNull();
            } else {
                int from = row.offset(i);
                evidence.get(i).add(row.buffer(i), from, from + row.length(i), records);
            }
        }
    }

    /** A table of nullable STRING columns. */
    private static TableDef texts(List<String> names) {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            columns.add(new Column(i + 1, names.get(i), ColumnType.of(TypeKind.STRING), true, false));
        }
        return new TableDef("csv", columns, NO_INDEX, List.of(), List.of());
    }
}
