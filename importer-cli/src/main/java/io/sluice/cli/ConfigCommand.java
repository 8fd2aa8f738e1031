package io.sluice.cli;

import io.sluice.cli.ConfigFile.Setting;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice config}: prints the options that hold without a command line, and where each is from. */
@Command(
        name = "config",
        description = {
            "Print the options that hold where the command line does not have them, and where each is from.",
            "An environment variable outweighs the file, and in the file a command's member outweighs one at the top."
        },
        footer = {
            "",
            "The file is the one that SLUICE_CONFIG names, or the first of ./sluice.yaml,",
            "~/.config/sluice/sluice.yaml and /etc/sluice/sluice.yaml. Example:",
            "",
            "    store: /data/store",
            "    serve:",
            "      listen: 127.0.0.1:8080",
            "      allow-root: [/data/in, 's3://bucket/']",
            "    import:",
            "      max-rejects: 1%%"
        })
final class ConfigCommand implements Callable<Integer> {
    private static final String ALL = "all";

    private final Supplier<CommandLine> commands;
    private final UnaryOperator<@Nullable String> variables;
    private final Console console;

    @Option(names = "--json", description = "Print one JSON object.")
    boolean json;

    /**
     * @param commands all commands
     * @param variables the value of an environment variable, or null
     */
    ConfigCommand(Supplier<CommandLine> commands, UnaryOperator<@Nullable String> variables, Console console) {
        this.commands = commands;
        this.variables = variables;
        this.console = console;
    }

    /** An option that holds, or would without another one. */
    private record Row(String option, String value, String command, String from, String note) {}

    @Override
    public Integer call() {
        ConfigFile file = ConfigFile.find(variables);
        if (file != null) {
            file.check(commands.get());
        }
        List<Row> rows = rows(file);
        try (Output out = console.output()) {
            if (json) {
                out.line(json(file, rows));
                return ExitCode.OK;
            }
            out.line("file: "
                    + (file == null
                            ? "none of "
                                    + String.join(
                                            ", ",
                                            ConfigFile.places(variables).stream()
                                                    .map(Object::toString)
                                                    .toList())
                            : file.file()));
            TextTable table = new TextTable("OPTION", "VALUE", "COMMAND", "FROM", "NOTE");
            rows.forEach(row -> table.row(row.option, row.value, row.command, row.from, row.note));
            if (!rows.isEmpty()) {
                table.textLines().forEach(out::line);
            }
        }
        return ExitCode.OK;
    }

    private List<Row> rows(@Nullable ConfigFile file) {
        List<Row> rows = new ArrayList<>();
        List<String> places = new ArrayList<>();
        PlaceVariables.OF_OPTIONS.forEach((option, variable) -> {
            String value = variables.apply(variable);
            if (value != null && !value.isEmpty()) {
                rows.add(new Row(option, value, ALL, variable, ""));
                places.add(variable);
            }
        });
        String token = variables.apply(TOKEN);
        if (token != null && !token.isEmpty()) {
            rows.add(new Row("token", "(secret)", ALL, TOKEN, "--token-file outweighs it"));
        }
        for (Setting each : file == null ? List.<Setting>of() : file.settings()) {
            boolean hidden = PlaceVariables.isPlace(each.option()) && !places.isEmpty();
            rows.add(new Row(
                    each.option(),
                    each.values().isEmpty() ? "true" : String.join(", ", each.values()),
                    each.command().isEmpty() ? ALL : each.command(),
                    String.valueOf(file == null ? "" : file.file()),
                    hidden ? String.join(", ", places) + " outweighs it" : ""));
        }
        return rows;
    }

    private static final String TOKEN = "SLUICE_TOKEN";

    private static String json(@Nullable ConfigFile file, List<Row> rows) {
        return Json.object(out -> {
            out.writeStringField("file", file == null ? null : file.file().toString());
            Json.objects(out, "options", rows, row -> {
                out.writeStringField("option", row.option);
                out.writeStringField("value", row.value);
                out.writeStringField("command", row.command);
                out.writeStringField("from", row.from);
                out.writeBooleanField("inForce", !row.note.contains("outweighs it") || row.option.equals("token"));
            });
        });
    }
}
