package io.sluice.cli;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Options in {@code sluice.yaml}. A member at the top is an option of all commands that have it; a member with members
 * is a command, and those outweigh the ones at the top. The command line and the environment outweigh both.
 *
 * @param file where the options are from
 * @param settings the options in the order of the file
 */
record ConfigFile(Path file, List<Setting> settings) {
    /** The variable that names the file. */
    static final String VARIABLE = "SLUICE_CONFIG";

    private static final String NAME = "sluice.yaml";
    private static final long MAX_BYTES = 1 << 20;

    /** Options that the launcher needs before the program, which reads the file, runs. */
    private static final Set<String> OF_LAUNCHER = Set.of("--memory", "--row-cache");

    ConfigFile {
        settings = List.copyOf(settings);
    }

    /**
     * An option of the file.
     *
     * @param command the command that it is for; empty: all that have it
     * @param option name of the option with its dashes
     * @param values its values; none for an option without
     */
    record Setting(String command, String option, List<String> values) {
        Setting {
            values = List.copyOf(values);
        }

        List<String> arguments() {
            return values.isEmpty()
                    ? List.of(option)
                    : values.stream().map(value -> option + "=" + value).toList();
        }
    }

    /**
     * Reads the file that SLUICE_CONFIG names, or else the first of those in the working directory, the user's and the
     * system's.
     *
     * @param variables the value of an environment variable, or null
     * @return null if there is none
     * @throws BadInputException if it cannot be read, or has members that are no options
     */
    static @Nullable ConfigFile find(UnaryOperator<@Nullable String> variables) {
        String named = variables.apply(VARIABLE);
        if (named != null && !named.isEmpty()) {
            return read(Path.of(named));
        }
        for (Path each : places(variables)) {
            if (Files.isRegularFile(each)) {
                return read(each);
            }
        }
        return null;
    }

    /** The files that may be there, the first one first. */
    static List<Path> places(UnaryOperator<@Nullable String> variables) {
        List<Path> places = new ArrayList<>(List.of(Path.of(NAME)));
        String user = variables.apply("XDG_CONFIG_HOME");
        String home = variables.apply("HOME");
        if (user != null && !user.isEmpty()) {
            places.add(Path.of(user, "sluice", NAME));
        } else if (home != null && !home.isEmpty()) {
            places.add(Path.of(home, ".config", "sluice", NAME));
        }
        places.add(Path.of("/etc/sluice", NAME));
        return places;
    }

    private static ConfigFile read(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new BadInputException(file + ": is larger than " + MAX_BYTES + " bytes, so it holds no options");
            }
            Object content = new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
            if (content != null && !(content instanceof Map)) {
                throw new BadInputException(file + ": must have members, such as 'store: /data/store'");
            }
            List<Setting> settings = new ArrayList<>();
            members(content).forEach((name, value) -> {
                if (value instanceof Map) {
                    members(value).forEach((option, inner) -> add(settings, file, name, option, inner));
                } else {
                    add(settings, file, "", name, value);
                }
            });
            return new ConfigFile(file, settings);
        } catch (IOException e) {
            throw new BadInputException(file + ": cannot be read: " + Reasons.ofFile(file, e), e);
        } catch (YAMLException e) {
            throw new BadInputException(file + ": is not valid YAML: " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> members(@Nullable Object map) {
        Map<String, Object> members = new LinkedHashMap<>();
        if (map instanceof Map<?, ?> given) {
            given.forEach((name, value) -> members.put(String.valueOf(name), value == null ? "" : value));
        }
        return members;
    }

    private static void add(List<Setting> settings, Path file, String command, String name, Object value) {
        String option = "--" + name;
        if (OF_LAUNCHER.contains(option)) {
            throw new BadInputException(file + ": " + name + " sizes the heap before the file is read; give " + option
                    + " on the command line");
        }
        if (value instanceof Map) {
            throw new BadInputException(file + ": " + name + " below " + command + " must be a value or a list");
        }
        if (Boolean.FALSE.equals(value)) {
            return;
        }
        List<String> values = Boolean.TRUE.equals(value)
                ? List.of()
                : value instanceof List<?> list
                        ? list.stream()
                                .map(each -> each == null ? "" : String.valueOf(each))
                                .toList()
                        : List.of(String.valueOf(value));
        settings.add(new Setting(command, option, values));
    }

    /**
     * Checks that each member is a command or an option of one, and that the values are of the option's type.
     *
     * @throws BadInputException naming the first that is not
     */
    void check(CommandLine commands) {
        for (Setting each : settings) {
            CommandLine command = commands.getSubcommands().get(each.command);
            if (!each.command.isEmpty() && command == null) {
                throw new BadInputException(file + ": there is no command " + each.command);
            }
            List<CommandSpec> having = all(command == null ? commands : command)
                    .map(CommandLine::getCommandSpec)
                    .filter(one -> one.findOption(each.option) != null)
                    .toList();
            if (having.isEmpty()) {
                throw new BadInputException(file + ": " + each.option.substring(2) + " is no option of "
                        + (command == null ? "any command" : "'sluice " + each.command + "'"));
            }
            having.forEach(one -> checkValues(each, one));
        }
    }

    private void checkValues(Setting setting, CommandSpec command) {
        OptionSpec option =
                OptionSpec.builder(command.findOption(setting.option)).build();
        CommandLine alone = new CommandLine(CommandSpec.create().addOption(option));
        try {
            alone.setCaseInsensitiveEnumValuesAllowed(true)
                    .parseArgs(setting.arguments().toArray(String[]::new));
        } catch (ParameterException e) {
            throw new BadInputException(file + ": '" + command.qualifiedName() + "': " + e.getMessage(), e);
        }
    }

    /** Checks the options that are for one command. */
    private void checkOwn(String name, CommandLine command) {
        for (Setting each : settings) {
            if (each.command.equals(name)
                    && all(command).noneMatch(one -> one.getCommandSpec().findOption(each.option) != null)) {
                throw new BadInputException(
                        file + ": " + each.option.substring(2) + " is no option of 'sluice " + name + "'");
            }
        }
    }

    private static Stream<CommandLine> all(CommandLine command) {
        return Stream.concat(
                Stream.of(command), command.getSubcommands().values().stream().flatMap(ConfigFile::all));
    }

    /**
     * Returns the arguments with the options that the file has for their command and that they do not have.
     *
     * @throws BadInputException if the command's member has others
     */
    String[] apply(CommandLine commands, String... args) {
        CommandLine command = commands;
        int names = 0;
        while (names < args.length && command.getSubcommands().containsKey(args[names])) {
            command = command.getSubcommands().get(args[names]);
            names++;
        }
        CommandLine top = names == 0 ? null : commands.getSubcommands().get(args[0]);
        if (top != null) {
            checkOwn(args[0], top);
        }
        Map<String, Setting> chosen = new LinkedHashMap<>();
        for (Setting each : settings) {
            OptionSpec option = command.getCommandSpec().findOption(each.option);
            boolean own = names > 0 && each.command.equals(args[0]);
            if (option == null || !(own || each.command.isEmpty()) || isGiven(option, args)) {
                continue;
            }
            if (own || !chosen.containsKey(each.option)) {
                chosen.put(each.option, each);
            }
        }
        List<String> all = new ArrayList<>(Arrays.asList(args).subList(0, names));
        chosen.values().forEach(each -> all.addAll(each.arguments()));
        all.addAll(Arrays.asList(args).subList(names, args.length));
        return all.toArray(new String[0]);
    }

    /** Whether the arguments have the option, or another place where it says a place. */
    private static boolean isGiven(OptionSpec option, String... args) {
        boolean place = Arrays.stream(option.names()).anyMatch(PlaceVariables::isPlace);
        return Arrays.stream(args)
                .takeWhile(arg -> !arg.equals("--"))
                .anyMatch(arg ->
                        Arrays.stream(option.names()).anyMatch(name -> arg.equals(name) || arg.startsWith(name + "="))
                                || (place && PlaceVariables.isPlace(arg)));
    }
}
