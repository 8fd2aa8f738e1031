package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Records;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.Split;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of CSV records, read as an import into STRING columns does: evidence for the type of each. */
final class TextColumns {
    /** Nothing is stored, so nothing needs a key. */
    private static final IndexDef NO_INDEX =
            new IndexDef(IndexDef.PRIMARY_ID, IndexDef.PRIMARY_NAME, true, List.of(), List.of(), null);

    /** Records that are compared with a header. */
    private static final int COMPARED = 200;

    private final SplitDecoder decoder;
    private final @Nullable Character comment;
    private final List<String> header;
    private final List<ColumnEvidence> evidence = new ArrayList<>();
    private long records;
    private long malformed;
    private long undecodable;
    private long likeComments;
    private boolean repeated;
    private boolean backslashN;
    private long enclosed;
    private long opened;

    /**
     * Creates columns without evidence.
     *
     * @param header the fields of the first record, which says how many there are
     */
    TextColumns(List<String> header, CsvDialect dialect, int maxRecordBytes) {
        this.header = header;
        comment = dialect.comment();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < header.size(); i++) {
            names.add("c" + (i + 1));
            evidence.add(new ColumnEvidence(i, header.get(i), dialect.values()));
        }
        CsvDialect headless = dialect.with(new Records(false, 0, 0));
        decoder = SplitDecoder.of(new CsvFormat(table(names), headless, names, maxRecordBytes));
    }

    /**
     * Takes the records of a split.
     *
     * @param limit most records to take in all; 0: no limit
     * @return whether none was left out
     */
    boolean take(Split split, long limit) {
        boolean[] whole = {true};
        decoder.decode(
                split,
                (row, offset) -> {
                    if (limit > 0 && records == limit) {
                        whole[0] = false;
                    } else {
                        take(row);
                    }
                },
                reject -> {
                    if (reject.problem().code().equals(Reject.Code.BAD_UTF8.text())) {
                        undecodable++;
                    } else {
                        malformed++;
                        likeComments += beginsWithComment(reject) ? 1 : 0;
                    }
                });
        return whole[0];
    }

    private boolean beginsWithComment(Reject reject) {
        return comment != null && reject.record().length > 0 && reject.record()[0] == comment;
    }

    private void take(Row row) {
        records++;
        for (int i = 0; i < evidence.size(); i++) {
            if (row.isNull(i)) {
                evidence.get(i).addNull();
                continue;
            }
            int from = row.offset(i);
            evidence.get(i).add(row.buffer(i), from, from + row.length(i), records);
            if (row.length(i) > 1 && row.buffer(i)[from] == '"') {
                boolean closed = row.buffer(i)[from + row.length(i) - 1] == '"';
                enclosed += closed ? 1 : 0;
                opened += closed ? 0 : 1;
            }
            backslashN |= row.length(i) == 2 && row.buffer(i)[from] == '\\' && row.buffer(i)[from + 1] == 'N';
            if (records <= COMPARED && !repeated) {
                repeated = header.get(i).equals(new String(row.buffer(i), from, row.length(i), StandardCharsets.UTF_8));
            }
        }
    }

    /** The evidence for each field. */
    List<ColumnEvidence> evidence() {
        return evidence;
    }

    /** Number of records that are rows. */
    long records() {
        return records;
    }

    /** Whether a field is a backslash and {@code N}, which databases write for NULL. */
    boolean hasBackslashN() {
        return backslashN;
    }

    /** Whether more fields are enclosed in double quotes than begin with one only. */
    boolean isQuoted() {
        return enclosed > opened;
    }

    /** Number of records with another number of fields, or with quotes that do not match. */
    long malformed() {
        return malformed;
    }

    /** Number of records with bytes that are no text in the charset of the file. */
    long undecodable() {
        return undecodable;
    }

    /** Number of malformed records that begin like comments, but have the fields of a row. */
    long likeComments() {
        return likeComments;
    }

    /** Whether one of the next records has the same text as the first in a field. */
    boolean repeatsHeader() {
        return repeated;
    }

    private static TableDef table(List<String> names) {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            columns.add(new Column(i + 1, names.get(i), ColumnType.of(TypeKind.STRING), true, false));
        }
        return new TableDef("csv", columns, NO_INDEX, List.of(), List.of());
    }
}
