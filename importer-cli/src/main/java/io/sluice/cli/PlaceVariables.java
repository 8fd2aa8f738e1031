package io.sluice.cli;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Environment variables in place of the options --store, --nodes and --server. A command that has such an option takes
 * the variable, unless the command line has any of these options.
 */
final class PlaceVariables {
    static final Map<String, String> OF_OPTIONS = new LinkedHashMap<>();

    static {
        OF_OPTIONS.put("--store", "SLUICE_STORE");
        OF_OPTIONS.put("--nodes", "SLUICE_NODES");
        OF_OPTIONS.put("--server", "SLUICE_SERVER");
    }

    private PlaceVariables() {}

    /**
     * Returns the arguments with the option that a variable sets, if any, behind the names of the command.
     *
     * @param variables the value of a variable, or null
     * @throws BadInputException if several variables are set
     */
    static String[] apply(CommandLine commands, UnaryOperator<@Nullable String> variables, String... args) {
        CommandLine command = commands;
        int names = 0;
        while (names < args.length && command.getSubcommands().containsKey(args[names])) {
            command = command.getSubcommands().get(args[names]);
            names++;
        }
        Map<String, String> set = new LinkedHashMap<>();
        for (Map.Entry<String, String> each : OF_OPTIONS.entrySet()) {
            OptionSpec option = command.getCommandSpec().findOption(each.getKey());
            String value = variables.apply(each.getValue());
            // An option with a default reads its variable by itself.
            if (option != null && option.defaultValue() == null && value != null && !value.isEmpty()) {
                set.put(each.getKey(), value);
            }
        }
        if (set.isEmpty() || Arrays.stream(args).anyMatch(PlaceVariables::isPlace)) {
            return args;
        }
        if (set.size() > 1) {
            throw new BadInputException(several(set.keySet()));
        }
        List<String> all = new ArrayList<>(Arrays.asList(args).subList(0, names));
        set.forEach((option, value) -> all.addAll(List.of(option, value)));
        all.addAll(Arrays.asList(args).subList(names, args.length));
        return all.toArray(new String[0]);
    }

    private static String several(Set<String> options) {
        return String.join(" and ", options.stream().map(OF_OPTIONS::get).toList()) + " are set: say with "
                + String.join(" or ", options) + " which is meant";
    }

    /** Whether an argument is one of the options, with or without its value. */
    static boolean isPlace(String arg) {
        return OF_OPTIONS.keySet().stream().anyMatch(option -> arg.equals(option) || arg.startsWith(option + "="));
    }
}
