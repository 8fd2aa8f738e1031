package io.sluice.it.support;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedBuild;
import io.sluice.importer.job.staged.StagedManifest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Builds staged sets in this process, and damages SSTs. */
public final class StagedSets {
    private StagedSets() {}

    /** Builds the set of the first table of some DDL, from a file of CSV. */
    public static StagedSet build(SetPlace place, String ddl, Path csv) throws Exception {
        List<TableDef> tables = Ddl.parse(ddl, "test");
        List<InputFile> inputs = InputFiles.resolve(List.of(csv.toString()));
        try (StagedBuild build = StagedBuild.open(
                place,
                StagedManifest.Target.ofTable(ddl, tables, tables.get(0)),
                "csv",
                ConflictPolicy.ERROR,
                RejectLimit.NONE,
                inputs)) {
            ImportSettings settings = new ImportSettings(
                    InputFormat.DEFAULT,
                    new ImportSettings.Resources(build.workDirectory(), ImportSettings.MIN_MEMORY_BYTES, 1, 0),
                    ImportSettings.Rejects.NONE,
                    ImportSettings.Mode.MERGE,
                    ImportSettings.Verification.SUMS);
            new ImportJob(build, tables.get(0), inputs, settings, new ImportProgress()).run();
            return build.set();
        }
    }
    /** Flips a bit in the middle of the largest SST below a directory: of a set, or of a store. */
    public static void damage(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            Path largest = files.filter(file -> file.toString().endsWith(".sst"))
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(largest);
            bytes[bytes.length / 2] ^= 1;
            Files.write(largest, bytes);
        }
    }
}
