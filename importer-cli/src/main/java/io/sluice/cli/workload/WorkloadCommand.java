package io.sluice.cli.workload;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice workload}: the group of the generators. */
@Command(name = "workload", description = "Make test data.")
@SuppressWarnings("NullAway.Init") // picocli sets the spec
public final class WorkloadCommand implements Runnable {
    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a generator: tpcc or changes");
    }
}
