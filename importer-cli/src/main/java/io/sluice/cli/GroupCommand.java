package io.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only groups others. */
@Command
@SuppressWarnings("NullAway.Init") // picocli sets the spec
final class GroupCommand implements Runnable {
    private final String problem;

    @Spec
    CommandSpec spec;

    private GroupCommand(String problem) {
        this.problem = problem;
    }

    /** @param problem the error if no command of the group is named */
    static CommandLine of(String name, String description, String problem) {
        CommandLine group = new CommandLine(new GroupCommand(problem));
        group.getCommandSpec().name(name).usageMessage().description(description);
        return group;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), problem);
    }
}
