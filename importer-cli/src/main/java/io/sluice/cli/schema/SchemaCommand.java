package io.sluice.cli.schema;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice schema}: the group of what concerns DDL. */
@Command(name = "schema", description = "Propose tables for files.")
@SuppressWarnings("NullAway.Init") // picocli sets the spec
public final class SchemaCommand implements Runnable {
    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name what to do: infer");
    }
}
