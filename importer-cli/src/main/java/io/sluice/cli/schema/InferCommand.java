package io.sluice.cli.schema;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.importer.decode.infer.Inference;
import io.sluice.importer.decode.infer.InferredTable;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.options.FormatOptions;
import io.sluice.importer.options.SourceOptions;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.error.BadInputException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice schema infer}: a CREATE TABLE for a file, with comments on what it rests on. */
@Command(
        name = "infer",
        description = "Print a CREATE TABLE that takes every row of a file, as far as it was read.",
        footer = {
            "",
            "Avro files say their types. Of CSV and JSON all rows are read, or the first of them with --sample-rows; text",
            "that would lose something as a number, such as leading zeros, stays STRING."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class InferCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--table", paramLabel = "T", description = "Name of the table. Default: the name of the file.")
    @Nullable
    String table;

    @Option(
            names = "--sample-rows",
            paramLabel = "N",
            description = "Limit of sampled rows of a CSV or JSON file. Default: all rows.")
    long sampleRows;

    @Mixin
    FormatOptions format;

    @Mixin
    SourceOptions source;

    @Parameters(paramLabel = "FILE", description = "File to infer the table from.")
    String input;

    public InferCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (sampleRows < 0) {
            throw new BadInputException("--sample-rows " + sampleRows + ": must not be negative");
        }
        List<InputFile> files = InputFiles.resolve(List.of(input), source.settings());
        InputFile file = files.get(0);
        if (files.size() > 1 || file.sizeBytes() < 0) {
            throw new BadInputException(input + ": name one file; a CSV file is read twice");
        }
        InputFormat found = format.sniffed(files);
        InferredTable inferred = Inference.of(
                files,
                found,
                table == null ? Inference.tableName(List.of(input), file) : table,
                ImportSettings.MAX_RECORD_BYTES,
                sampleRows);
        try (Output out = console.output()) {
            String encoding = Encoding.found(file, found.framing().isText());
            out.line("-- input: " + Precheck.words(found, encoding));
            inferred.ddl().lines().forEach(out::line);
        }
        return 0;
    }
}
