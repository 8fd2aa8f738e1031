package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.schema.TableDef;
import io.sluice.api.text.DatumProblem;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Parallel;
import io.sluice.importer.source.Parallel.Found;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the beginning of every input before any work is done: is it there, may it be read, is it what its name says,
 * does its header fit the table, and is any of its first records a row? All problems of all inputs come out at once.
 *
 * <p>Bad rows are no concern of it: an input fails only when its first batch holds records and none is a row, and when
 * those are more rejects than the import puts up with, so that the import would fail too. What can be read but once,
 * such as standard input, is left alone.
 */
public final class Precheck {
    /** Several hundred records, and no more than a moment's work for each of thousands of inputs. */
    private static final int BATCH_BYTES = 128 << 10;

    /** Waiting for disks and networks, for the most part. */
    private static final int LOOKED_AT_ONCE = 16;

    /** More would scroll the first ones off the screen. */
    private static final int PROBLEMS_SHOWN = 20;

    private static final String NOT_NULL = DatumProblem.Code.NOT_NULL.name().toLowerCase(Locale.ROOT);

    private final InputFormat format;
    private final TableDef table;
    private final RejectLimit limit;

    /**
     * A check that has not begun.
     *
     * @param limit how many rejects the import puts up with
     */
    public Precheck(InputFormat format, TableDef table, RejectLimit limit) {
        this.format = format;
        this.table = table;
        this.limit = limit;
    }

    /**
     * Looks at all inputs.
     *
     * @throws BadInputException naming what is wrong with each input
     * @throws OperationFailedException when some cannot be read at the moment
     */
    public void run(List<InputFile> inputs) {
        List<InputFile> repeatable =
                inputs.stream().filter(InputFile::repeatable).toList();
        List<String> problems = new ArrayList<>();
        boolean failed = false;
        for (Found<String> found : Parallel.map(repeatable, LOOKED_AT_ONCE, this::look)) {
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

    private List<String> look(InputFile input) {
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
        return List.of(input.name() + ", line " + (first.line() + 1) + " (byte " + first.byteOffset() + ")"
                + (first.column() == null ? ": the record " : ", column " + first.column() + ": ") + first.message()
                + (rejects.count > 1 ? "; none of the first " + rejects.count + " records is a row of the table" : "")
                + hint(first, split) + "\n    " + first.excerpt());
    }

    private String hint(Reject first, Split split) {
        if (first.code().equals(NOT_NULL)) {
            return ". To take NULL there, leave NOT NULL out of the column's declaration";
        }
        // Zero bytes are as good as any in Avro, which says itself how its text is encoded.
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

    /** What became of the first batch. */
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
