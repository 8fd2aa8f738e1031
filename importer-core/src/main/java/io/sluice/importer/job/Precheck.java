package io.sluice.importer.job;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Parallel;
import io.sluice.importer.source.Parallel.Found;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the beginning of every input before the import starts, and reports the problems of all inputs at once. An input
 * must exist, be readable, and have the format of its file name. Its header must fit the table, and one of its first
 * records must be a row.
 *
 * <p>Single bad rows are no problem. An input fails only if its first batch holds records, none of them is a row, and
 * they exceed the import's reject limit. Inputs that can be read only once, such as standard input, are not checked.
 */
public final class Precheck {
    /** Size of the first batch: several hundred records, little work even for thousands of inputs. */
    private static final int BATCH_BYTES = 128 << 10;

    /** Inputs that are checked in parallel; the checks mostly wait for disks and networks. */
    private static final int PARALLEL_READS = 16;

    /** Most problems shown; more would scroll the first ones off the screen. */
    private static final int PROBLEMS_SHOWN = 20;

    private static final String NOT_NULL = DatumProblem.Code.NOT_NULL.name().toLowerCase(Locale.ROOT);

    private final InputFormat format;
    private final TableDef table;
    private final RejectLimit limit;

    /**
     * Creates a check.
     *
     * @param limit most rejects that the import allows
     */
    public Precheck(InputFormat format, TableDef table, RejectLimit limit) {
        this.format = format;
        this.table = table;
        this.limit = limit;
    }

    /**
     * Checks all inputs.
     *
     * @throws BadInputException naming the problem of each input
     * @throws OperationFailedException when an input cannot be read at the moment
     */
    public void run(List<InputFile> inputs) {
        List<InputFile> repeatable =
                inputs.stream().filter(InputFile::repeatable).toList();
        List<String> problems = new ArrayList<>();
        boolean failed = false;
        for (Found<String> found : Parallel.map(repeatable, PARALLEL_READS, this::check)) {
            problems.addAll(found.results());
            if (found.problem() != null) {
                problems.add(found.problem().getMessage());
                failed |= found.problem() instanceof OperationFailedException;
            }
        }
        if (problems.isEmpty()) {
            return;
        }
        String shown = String.join("\n", problems.subList(0, Math.min(PROBLEMS_SHOWN, problems.size())));
        String more = problems.size() <= PROBLEMS_SHOWN
                ? ""
                : "\nand " + (problems.size() - PROBLEMS_SHOWN) + " more inputs that cannot be imported";
        throw failed ? new OperationFailedException(shown + more) : new BadInputException(shown + more);
    }

    private List<String> check(InputFile input) {
        FirstRejects rejects = new FirstRejects();
        Split split = new Split(BATCH_BYTES);
        SplitSource.Settings reading = format.reading(BATCH_BYTES, ImportSettings.MAX_RECORD_BYTES);
        try (SplitSource source = new SplitSource(List.of(input), format.framing(), reading)) {
            if (source.next(split)) {
                format.decoder(table, ImportSettings.MAX_RECORD_BYTES)
                        .decode(split, (row, byteOffset) -> rejects.rows++, rejects::add);
            }
        }
        Reject first = rejects.first;
        if (first == null || rejects.rows > 0 || !limit.exceeded(rejects.count, rejects.count, false)) {
            return List.of();
        }
        return List.of(input.name() + ", line " + (first.place().line() + 1) + " (byte "
                + first.place().byteOffset() + ")"
                + (first.problem().column() == null
                        ? ": the record "
                        : ", column " + first.problem().column() + ": ")
                + first.problem().message()
                + (rejects.count > 1 ? "; none of the first " + rejects.count + " records is a row of the table" : "")
                + hint(first, split) + "\n    " + first.excerpt());
    }

    private String hint(Reject first, Split split) {
        if (first.problem().code().equals(NOT_NULL)) {
            return ". To take NULL there, leave NOT NULL out of the column's declaration";
        }
        // Zero bytes are valid in Avro, which defines its text encoding itself.
        if (!(format instanceof InputFormat.Csv)) {
            return "";
        }
        byte[] buffer = split.buffer();
        for (int i = split.start(); i < split.end(); i++) {
            if (buffer[i] == 0) {
                return ". It holds zero bytes: is it text? UTF-16 without a byte order mark needs --charset";
            }
        }
        return ". Check the table's columns, and --columns, --header, --delimiter and --quote";
    }

    /** Counts the rows and rejects of the first batch. */
    private static final class FirstRejects {
        private long rows;
        private long count;
        private @Nullable Reject first;

        void add(Reject reject) {
            count++;
            first = first == null ? reject : first;
        }
    }
}
