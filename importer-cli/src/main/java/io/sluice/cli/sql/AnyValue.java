package io.sluice.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Takes the next argument as a value, even if it is the name of an option. */
final class AnyValue implements IParameterConsumer {
    @Override
    @SuppressWarnings("JdkObsolete") // picocli's signature
    public void consumeParameters(Stack<String> arguments, ArgSpec option, CommandSpec command) {
        if (arguments.isEmpty()) {
            throw new ParameterException(command.commandLine(), "--parameter needs a value");
        }
        List<String> before = option.getValue();
        List<String> values = new ArrayList<>(before == null ? List.of() : before);
        values.add(arguments.pop());
        option.setValue(values);
    }
}
