package io.sluice.service.run;

import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Table;
import io.sluice.sampler.ImportPlan;
import io.sluice.sampler.InputSample;
import io.sluice.sampler.ModeChoice;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.SourceRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** Plans an import from a sample of the beginning of its inputs. */
public final class PlanMaker {
    private static final long SAMPLE_BYTES = 16L << 20;

    private final Target target;
    private final SourceRoots roots;
    private final RunSettings settings;

    /** Creates a planner for jobs with these settings. */
    public PlanMaker(Target target, SourceRoots roots, RunSettings settings) {
        this.target = target;
        this.roots = roots;
        this.settings = settings;
    }

    /**
     * Plans an import.
     *
     * @throws BadInputException if an input is invalid
     */
    public ImportPlan plan(ImportSpec spec) {
        List<InputFile> inputs = roots.resolve(spec.inputs(), spec.source());
        InputFormat format = spec.format().of(inputs);
        format.validate();
        format.validate(spec.table());
        if (!InputScan.possible(inputs)) {
            throw new BadInputException("a plan needs inputs that can be read again; name files, not a pipe");
        }
        new Precheck(format, spec.table(), RejectLimit.NONE).run(inputs);
        Table table = Table.inNewStore(spec.tables(), spec.table());
        InputSample sample = InputSample.at(table, inputs, format, SAMPLE_BYTES);
        Forecast forecast = new Forecast(
                sample.indexes(),
                settings.memoryBytesPerJob(),
                settings.workers(),
                sample.seen().totalBytes());
        ModeChoice.Place place = new ModeChoice.Place(target.nodes(), freeBytes(), -1, target.store() != null);
        return new ImportPlan(
                spec.table().name(), sample, forecast, ModeChoice.resumable(forecast, place), target.nodes());
    }

    private long freeBytes() {
        try {
            return Files.getFileStore(target.workDirectory()).getUsableSpace();
        } catch (IOException e) {
            throw new OperationFailedException(
                    target.workDirectory() + ": its free space cannot be found: " + e.getMessage(), e);
        }
    }
}
