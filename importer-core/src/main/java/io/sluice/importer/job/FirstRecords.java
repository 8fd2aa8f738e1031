package io.sluice.importer.job;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumFormatter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The first batch of an input: which of its records are rows of the table. */
public final class FirstRecords {
    /** Size of the batch: several hundred records, little work even for thousands of inputs. */
    private static final int BATCH_BYTES = 128 << 10;

    private static final int HEAD_BYTES = 512;

    /** A number between usual delimiters. */
    private static final Pattern NUMBER = Pattern.compile("(?<![^,;|\"\\s])[+-]?\\d+([.,]\\d*)?(?![^,;|\"\\s])");

    private final Split split = new Split(BATCH_BYTES);
    private final BitSet filled = new BitSet();
    /** Columns of text with a value {@code \\N}, which many programs write for NULL. */
    private final BitSet backslashN = new BitSet();

    private long rows;
    private long rejects;
    private @Nullable Reject first;
    private @Nullable BadInputException misfit;

    private final int kept;
    private final List<List<@Nullable String>> firstRows = new ArrayList<>();
    private final List<Reject> firstRejects = new ArrayList<>();

    private FirstRecords(int kept) {
        this.kept = kept;
    }

    /**
     * Reads the first batch, and only counts its records.
     *
     * @throws BadInputException when the input cannot be read
     */
    static FirstRecords read(InputFile input, InputFormat format, TableDef table) {
        return read(input, format, table, 0);
    }

    /**
     * Reads the first batch.
     *
     * @param kept most rows, and most rejects, to keep
     * @throws BadInputException when the input cannot be read
     */
    public static FirstRecords read(InputFile input, InputFormat format, TableDef table, int kept) {
        FirstRecords found = new FirstRecords(kept);
        SplitSource.Settings reading = format.reading(BATCH_BYTES, ImportSettings.MAX_RECORD_BYTES);
        try (SplitSource source = new SplitSource(List.of(input), format.framing(), reading)) {
            if (source.next(found.split)) {
                found.decode(format, table);
            }
        }
        return found;
    }

    private void decode(InputFormat format, TableDef table) {
        try {
            format.decoder(table, ImportSettings.MAX_RECORD_BYTES)
                    .decode(split, (row, byteOffset) -> row(table, row), this::reject);
        } catch (BadInputException e) {
            misfit = e;
        }
    }

    private void row(TableDef table, Row row) {
        rows++;
        for (int column : table.visibleColumns()) {
            if (!row.isNull(column)) {
                filled.set(column);
                if (isBackslashN(table, row, column)) {
                    backslashN.set(column);
                }
            }
        }
        if (firstRows.size() < kept) {
            List<@Nullable String> texts = new ArrayList<>();
            for (int column : table.visibleColumns()) {
                texts.add(DatumFormatter.format(
                        row, column, table.columns().get(column).type()));
            }
            firstRows.add(Collections.unmodifiableList(texts));
        }
    }

    private static boolean isBackslashN(TableDef table, Row row, int column) {
        return table.columns().get(column).type().kind() == TypeKind.STRING
                && row.length(column) == 2
                && row.buffer(column)[row.offset(column)] == '\\'
                && row.buffer(column)[row.offset(column) + 1] == 'N';
    }

    private void reject(Reject reject) {
        rejects++;
        if (firstRejects.size() < kept) {
            firstRejects.add(reject);
        }
        first = first == null ? reject : first;
    }

    /** Names of the columns that are NULL in all rows; none if there are no rows. */
    List<String> unfilled(TableDef table) {
        return table.visibleColumns().stream()
                .filter(column -> rows > 0 && !filled.get(column))
                .map(column -> table.columns().get(column).name())
                .toList();
    }

    /** Names of the columns of text that have a value {@code \\N}. */
    List<String> withBackslashN(TableDef table) {
        return backslashN.stream()
                .mapToObj(column -> table.columns().get(column).name())
                .toList();
    }

    /** Number of rows. */
    public long rows() {
        return rows;
    }

    /** Number of rejects. */
    public long rejects() {
        return rejects;
    }

    /** The first rows that were kept, as texts of their visible columns. */
    public List<List<@Nullable String>> firstRows() {
        return Collections.unmodifiableList(firstRows);
    }

    /** The first rejects that were kept. */
    public List<Reject> firstRejects() {
        return Collections.unmodifiableList(firstRejects);
    }

    /** The first reject, or null. */
    @Nullable
    Reject firstReject() {
        return first;
    }

    /** The first bytes of the text, at most {@value #HEAD_BYTES}. */
    byte[] head() {
        byte[] header = split.header();
        if (header != null) {
            return Arrays.copyOf(header, Math.min(HEAD_BYTES, header.length));
        }
        return Arrays.copyOfRange(split.buffer(), split.start(), Math.min(split.start() + HEAD_BYTES, split.end()));
    }

    /** Whether the first record is a reject without a number among its fields, as a header is. */
    boolean beginsWithoutNumbers() {
        return first != null
                && first.place().line() == 0
                && !NUMBER.matcher(first.excerpt()).find();
    }

    /** Why the file as a whole does not fit the table, such as its header; null if it does. */
    @Nullable
    BadInputException misfit() {
        return misfit;
    }

    /** Whether the first line ends with a delimiter. */
    boolean firstLineEndsWith(String delimiter) {
        byte[] buffer = split.buffer();
        int end = split.start();
        while (end < split.end() && buffer[end] != '\n' && buffer[end] != '\r') {
            end++;
        }
        return new String(buffer, split.start(), end - split.start(), StandardCharsets.UTF_8).endsWith(delimiter);
    }

    /** Whether the text has some characters of ASCII, in any charset. */
    boolean contains(String ascii) {
        return new String(split.buffer(), split.start(), split.end() - split.start(), StandardCharsets.ISO_8859_1)
                .replace("\0", "")
                .contains(ascii);
    }

    /** Whether the text has zero bytes, which UTF-16 read as UTF-8 has. */
    boolean hasZeroBytes() {
        byte[] buffer = split.buffer();
        for (int i = split.start(); i < split.end(); i++) {
            if (buffer[i] == 0) {
                return true;
            }
        }
        return false;
    }
}
