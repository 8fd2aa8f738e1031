package io.sluice.cli.input;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.input.InputFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how CSV files are written; shared by {@code import} and {@code encode}. */
public final class CsvOptions {
    @Option(
            names = "--columns",
            paramLabel = "A,B,C",
            split = ",",
            description = "Columns in the order of the fields. Default: the header's, or else the table's.")
    @Nullable
    List<String> columns;

    @Option(
            names = "--delimiter",
            paramLabel = "C",
            converter = CharacterConverter.class,
            description = "Between two fields; \\t is a tab. Default: a comma.")
    char delimiter = ',';

    @Option(
            names = "--quote",
            paramLabel = "C",
            arity = "1",
            description = "Around fields, doubled inside; an empty argument switches quoting off. Default: \".")
    String quote = "\"";

    @Option(
            names = "--escape",
            paramLabel = "C",
            converter = CharacterConverter.class,
            description = "Makes the next character literal. Default: none.")
    @Nullable
    Character escape;

    @Option(
            names = "--comment",
            paramLabel = "C",
            converter = CharacterConverter.class,
            description = "Begins lines to pass over. Default: none.")
    @Nullable
    Character comment;

    @Option(names = "--skip", paramLabel = "N", description = "Records to pass over at the beginning of each file.")
    long skip;

    @Option(
            names = "--nullif",
            paramLabel = "S",
            arity = "1",
            description = "Unquoted text that means NULL. Default: an empty field.")
    @Nullable
    String nullIf;

    @Option(names = "--header", description = "The first record of each file names its columns.")
    boolean header;

    /**
     * The format that the options describe.
     *
     * @throws BadInputException when they contradict each other
     */
    public InputFormat.Csv format() {
        return new InputFormat.Csv(dialect(), columns);
    }

    private CsvDialect dialect() {
        if (quote.length() > 1) {
            throw new BadInputException("--quote '" + quote + "' is not one character");
        }
        Character quoteCharacter = quote.isEmpty() ? null : quote.charAt(0);
        CsvDialect dialect = new CsvDialect(delimiter, quoteCharacter, escape, comment, nullIf, header, skip);
        dialect.validate();
        return dialect;
    }
}
