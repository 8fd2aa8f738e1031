package io.sluice.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;

/** Renders the options of a command with many of them in sections with headings; few options stay one list. */
final class OptionSections implements IHelpSectionRenderer {
    /** A list of so many options still fits a screen. */
    static final int LONGEST_LIST = 20;

    private static final String OTHER = "Other options";

    /** A heading and the options below it, by any of their names. */
    private record Section(String heading, Set<String> names) {
        static Section of(String line) {
            int colon = line.indexOf(':');
            return new Section(
                    line.substring(0, colon),
                    Set.of(line.substring(colon + 1).strip().split(" +", -1)));
        }

        boolean has(OptionSpec option) {
            return Arrays.stream(option.names()).anyMatch(names::contains);
        }
    }

    /** The headings, each with the options below it. */
    private static final List<Section> SECTIONS = """
            Table and place: --schema --table --append --store --nodes --replicas --server --output \
                --target --key --key-encoding --value --state --listen --table-id --sst
            Input: --format --compression --charset --s3-endpoint --s3-path-style --s3-region --allow-root
            CSV: --header --columns --dialect --delimiter --quote --escape --comment --skip --row-limit \
                --nullif --short-rows --long-rows --decimal --thousands --date-format --time-format \
                --timestamp-format --allow-quoted-null --strict-quotes
            JSON and Avro: --json-path --json-unknown --json-duplicates --avro-schema --avro-strict --nanos
            Bad rows and equal keys: --max-rejects --rejects --no-rejects --on-conflict
            Run and resources: --mode --job-id --dry-run --verify --give-up-after --memory --workers \
                --max-rate --tmp --sst-writer --seed --jobs --queue --block-cache --row-cache \
                --disk-reserve --sample --connections --client-connections
            With --server: --detach --label --on-interrupt
            Access: --token-file --tokens --tls-trust --tls-cert --tls-key --peers --peer-trust
            Output: --json --quiet --debug --help --version
            """.lines().map(Section::of).toList();

    @Override
    public String render(Help help) {
        List<OptionSpec> options = help.commandSpec().options().stream()
                .filter(option -> !option.hidden())
                .toList();
        if (options.size() <= LONGEST_LIST) {
            return help.optionList();
        }
        StringBuilder text = new StringBuilder();
        Comparator<OptionSpec> order = help.createDefaultOptionSort();
        sections(options).forEach((heading, inside) -> {
            // A layout for all options: the columns of all sections are aligned.
            Help.Layout layout =
                    help.createDefaultLayout(options, help.commandSpec().positionalParameters(), help.colorScheme());
            text.append(String.format("%n%s:%n", heading))
                    .append(help.optionListExcludingGroups(inside, layout, order, help.parameterLabelRenderer()));
        });
        return text.toString();
    }

    /** The options by their headings. */
    static Map<String, List<OptionSpec>> sections(List<OptionSpec> options) {
        Map<String, List<OptionSpec>> found = new LinkedHashMap<>();
        List<OptionSpec> rest = new ArrayList<>(options);
        for (Section section : SECTIONS) {
            List<OptionSpec> inside = rest.stream().filter(section::has).toList();
            rest.removeAll(inside);
            if (!inside.isEmpty()) {
                found.put(section.heading(), inside);
            }
        }
        if (!rest.isEmpty()) {
            found.put(OTHER, rest);
        }
        return found;
    }
}
