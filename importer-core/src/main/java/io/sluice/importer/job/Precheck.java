package io.sluice.importer.job;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.ForeignFormat;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Parallel;
import io.sluice.importer.source.Parallel.Found;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.FailureCode;
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
 * <p>Single bad rows are no problem. An input fails only if the rejects of its first batch exceed the import's limit,
 * and either none of its records is a row, or all of them are with other options; the message then names these. Inputs
 * that can be read only once, such as standard input, are not checked.
 */
public final class Precheck {
    /** Inputs that are checked in parallel; the checks mostly wait for disks and networks. */
    private static final int PARALLEL_READS = 16;

    /** Most inputs for which other options are tried: those of a directory usually have the same ones. */
    private static final int MOST_TRIED = 3;

    /** Most problems shown; more would scroll the first ones off the screen. */
    private static final int PROBLEMS_SHOWN = 20;

    private static final String NOT_NULL = DatumProblem.Code.NOT_NULL.name().toLowerCase(Locale.ROOT);

    private final InputFormat format;
    private final TableDef table;
    private final RejectLimit limit;
    private final boolean inferred;
    private volatile @Nullable FirstRecords ofFirstInput;

    /**
     * Creates a check for a declared table.
     *
     * @param limit most rejects that the import allows
     */
    public Precheck(InputFormat format, TableDef table, RejectLimit limit) {
        this(format, table, limit, false);
    }

    /**
     * Creates a check.
     *
     * @param limit most rejects that the import allows
     * @param inferred whether the table is the one that the first input suggests with these options
     */
    public Precheck(InputFormat format, TableDef table, RejectLimit limit, boolean inferred) {
        this.format = format;
        this.table = table;
        this.limit = limit;
        this.inferred = inferred;
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
        boolean misfits = false;
        int tried = 0;
        for (Found<Refusal> found :
                Parallel.map(repeatable, PARALLEL_READS, input -> check(input, repeatable.get(0)))) {
            for (Refusal refusal : found.results()) {
                String withOptions = tried++ < MOST_TRIED ? problemWithOptions(refusal.input) : null;
                String problem = withOptions == null ? refusal.problem : withOptions;
                if (problem != null) {
                    problems.add(problem);
                    misfits = true;
                }
            }
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
        throw failed
                ? new OperationFailedException(shown + more)
                : new BadInputException(shown + more, misfits ? FailureCode.FORMAT : FailureCode.INVALID);
    }

    /**
     * The format, compression and charset that the inputs are read with, on one line; those of the first stand for all.
     * An input that can be read only once is described without its compression and charset.
     */
    public String found(List<InputFile> inputs) {
        InputFile first = inputs.get(0);
        String encoding =
                first.repeatable() ? Encoding.found(first, format.framing().isText()) : "";
        return "input: "
                + words(format, encoding)
                + (encoding.isEmpty() || encoding.equals(Encoding.PARQUET) ? "" : ", " + encoding)
                + (inputs.size() == 1 ? "" : "; " + inputs.size() + " inputs, of which the first was examined");
    }

    /**
     * A format in words, with its settings.
     *
     * @param encoding what {@link Encoding#found} says of the input
     */
    public static String words(InputFormat format, String encoding) {
        return encoding.equals(Encoding.PARQUET) ? "Parquet files" : format.words();
    }

    /**
     * Remarks on the first records of the first input: columns without a value, for which fields of other names may be
     * meant, and texts that may be meant as NULL. None before a check.
     */
    public List<String> remarks() {
        FirstRecords first = ofFirstInput;
        if (first == null) {
            return List.of();
        }
        return format instanceof InputFormat.Csv csv ? nulls(first, csv) : unfilled(first);
    }

    /** The first bad record among the first ones of the first input, as an import shows it; none before a check. */
    public List<String> firstReject(List<InputFile> inputs) {
        Reject reject = ofFirstInput == null ? null : ofFirstInput.firstReject();
        return reject == null
                ? List.of()
                : List.of(
                        describe(inputs.get(0), reject),
                        "    " + reject.excerpt(),
                        "An import refuses bad records, unless --max-rejects allows some");
    }

    private List<String> nulls(FirstRecords first, InputFormat.Csv csv) {
        List<String> columns = first.withBackslashN(table);
        if (columns.isEmpty()
                || !csv.dialect()
                        .values()
                        .nullTexts()
                        .equals(CsvDialect.DEFAULT.values().nullTexts())) {
            return List.of();
        }
        return List.of("input: column " + String.join(", ", columns)
                + " has \\N, which is text; --nullif '\\N' --nullif '' takes it, and an empty field, as NULL");
    }

    private List<String> unfilled(FirstRecords first) {
        List<String> columns = first.unfilled(table);
        if (columns.isEmpty()) {
            return List.of();
        }
        return List.of("input: column " + String.join(", ", columns) + " without a value in the first "
                + (first.rows() == 1 ? "record" : first.rows() + " records")
                + (format instanceof InputFormat.Json ? "; --json-path names the member that fills a column" : ""));
    }

    /**
     * An input whose first batch has too many rejects, or does not fit the table.
     *
     * @param problem the reason to refuse it; null if some of its records are rows, so that only other options are one
     */
    private record Refusal(InputFile input, @Nullable String problem) {}

    private List<Refusal> check(InputFile input, InputFile first) {
        FirstRecords found = FirstRecords.read(input, format, table);
        if (input.equals(first)) {
            ofFirstInput = found;
        }
        if (found.misfit() != null || (found.rows() == 0 && exceeds(found))) {
            return List.of(new Refusal(input, problem(input, found, null)));
        }
        return exceeds(found) ? List.of(new Refusal(input, null)) : List.of();
    }

    private boolean exceeds(FirstRecords found) {
        return found.rejects() > 0 && limit.exceeded(found.rejects(), found.rejects() + found.rows(), false);
    }

    /** The problem of an input, with the options that make its first records rows; null if there are none. */
    private @Nullable String problemWithOptions(InputFile input) {
        FirstRecords found = FirstRecords.read(input, format, table);
        if (!(format instanceof InputFormat.Csv csv) || foreign(found) != null) {
            return null;
        }
        String options = new CsvTrials(input, csv, table, found, inferred).findOptions();
        return options == null ? null : problem(input, found, options);
    }

    private @Nullable ForeignFormat foreign(FirstRecords found) {
        return format instanceof InputFormat.Csv ? ForeignFormat.of(found.head()) : null;
    }

    private String problem(InputFile input, FirstRecords found, @Nullable String options) {
        ForeignFormat foreign = foreign(found);
        Reject first = found.firstReject();
        if (found.misfit() != null || first == null) {
            String help = foreign == null ? options : foreign.advice();
            String misfit =
                    found.misfit() == null ? input.name() : found.misfit().getMessage();
            return misfit + (help == null ? "" : "\n" + input.name() + ": " + help);
        }
        return describe(input, first)
                + (found.rows() == 0 && found.rejects() > 1
                        ? "; none of the first " + found.rejects() + " records is a row of the table"
                        : "")
                + (foreign != null ? ". " + foreign.advice() : options == null ? hint(first, found) : "")
                + "\n    " + first.excerpt()
                + (options == null ? "" : "\n" + options);
    }

    private static String describe(InputFile input, Reject first) {
        String column = first.problem().column();
        return input.name() + ", " + first.place().unit().label() + " "
                + (first.place().line() + 1) + " (byte "
                + first.place().byteOffset() + ")"
                + (column == null ? ": the record " : ", column " + column + ": ")
                + first.problem().message();
    }

    private String hint(Reject first, FirstRecords found) {
        if (first.problem().code().equals(NOT_NULL)) {
            return ". To take NULL there, leave NOT NULL out of the column's declaration";
        }
        if (format instanceof InputFormat.Json && first.excerpt().strip().equals("{")) {
            return ". An object must be on one line: 'jq -c . FILE' writes each on one";
        }
        // Zero bytes are valid in Avro, which defines its text encoding itself.
        if (!(format instanceof InputFormat.Csv)) {
            return "";
        }
        return found.hasZeroBytes()
                ? ". It holds zero bytes: is it text? UTF-16 without a byte order mark needs --charset"
                : ". Check the table's columns, and --columns, --header, --delimiter and --quote";
    }
}
