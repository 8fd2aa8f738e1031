package io.sluice.cli.imports;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.options.SchemaFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.model.error.BadInputException;
import io.sluice.service.spec.ImportSpec;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Converts the options of an import to the {@code ImportSpec} of the service's {@code openapi.yaml}. */
final class ServerSpec {
    /** Options that only the importing process can apply, or that the service decides. */
    private static final List<String> OF_THIS_PROCESS = List.of(
            "--store",
            "--nodes",
            "--replicas",
            "--give-up-after",
            "--memory",
            "--workers",
            "--tmp",
            "--rejects",
            "--no-rejects",
            "--seed",
            "--sst-writer");

    private static final String STANDARD_INPUT = "-";

    private ServerSpec() {}

    /**
     * Builds the body of the request.
     *
     * @param given whether an option was given
     * @throws BadInputException naming all options that a service does not support, and all invalid values
     */
    static ObjectNode of(ImportOptions options, Predicate<String> given) {
        validate(options, given);
        ObjectNode spec = JsonNodeFactory.instance.objectNode();
        if (options.jobId != null) {
            spec.put("jobId", options.jobId);
        }
        spec.put("schema", SchemaFile.text(Objects.requireNonNull(options.schema)));
        if (options.table != null) {
            spec.put("table", options.table);
        }
        ArrayNode inputs = spec.putArray("inputs");
        options.inputs.forEach(input -> inputs.add(absolute(input)));
        options.format.put(spec);
        options.source.put(spec);
        spec.put("mode", options.modeName());
        spec.put("append", options.append);
        spec.put("maxRejects", options.run.rejects.maxRejects());
        spec.put("onConflict", options.run.rejects.policy().label());
        spec.put("verify", options.run.verify.name().toLowerCase(Locale.ROOT));
        spec.put("bytesPerSecond", options.run.bytesPerSecond());
        return labelled(spec, options.server);
    }

    private static ObjectNode labelled(ObjectNode spec, ServerOptions server) {
        ObjectNode labels = spec.putObject("labels");
        server.labels.forEach(labels::put);
        return spec;
    }

    /**
     * Builds the body of a request that names a reject bundle or a staged set.
     *
     * @param member {@code bundle} or {@code set}
     * @param place its directory or address
     * @param server options of the job
     * @param given whether an option was given
     * @param problems problems found so far
     * @throws BadInputException naming all problems, and all options that a service does not support
     */
    static ObjectNode of(
            String member, String place, ServerOptions server, Predicate<String> given, List<String> problems) {
        List<String> all = new ArrayList<>(problems);
        refuse(given, all);
        if (!all.isEmpty()) {
            throw new BadInputException(String.join("\n", all));
        }
        return labelled(JsonNodeFactory.instance.objectNode().put(member, absolute(place)), server);
    }

    private static void refuse(Predicate<String> given, List<String> problems) {
        for (String option : OF_THIS_PROCESS) {
            if (given.test(option)) {
                problems.add(option + " cannot be given with --server: "
                        + (option.endsWith("-rejects")
                                ? "the service keeps the rejects, and 'sluice jobs rejects' lists them"
                                : "the service has its own setting"));
            }
        }
    }

    private static void validate(ImportOptions options, Predicate<String> given) {
        List<String> problems = new ArrayList<>();
        refuse(given, problems);
        if (options.schema == null) {
            problems.add("--schema FILE is missing: with --server no table is inferred; print one with 'sluice schema"
                    + " infer', and save it");
        }
        if (options.inputs.contains(STANDARD_INPUT)) {
            problems.add("- cannot be given with --server: the service does not see this standard input; name files");
        }
        String id = options.jobId;
        if (id != null && !ImportSpec.ID.matcher(id).matches()) {
            problems.add(
                    "--job-id " + id + ": must be 1 to 64 letters, digits, dots, underscores and hyphens, and begin"
                            + " with a letter or digit");
        }
        check(problems, options::chosenMode);
        check(problems, options.run.rejects::limit);
        check(problems, options.run.rejects::policy);
        check(problems, () -> options.format.named());
        check(problems, options.source::settings);
        if (options.server.detach && options.dryRun) {
            problems.add("--detach with --dry-run: a plan is no job; leave one of them out");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    private static void check(List<String> problems, Supplier<?> reading) {
        try {
            var unused = reading.get();
        } catch (BadInputException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Makes a path absolute, because the service has another current directory. Keeps "..", as links may be in the
     * path.
     */
    private static String absolute(String input) {
        if (RemoteInputs.isRemote(input)) {
            return input;
        }
        try {
            Path path = InputFiles.local(input).toAbsolutePath();
            return (input.contains("..") ? path : path.normalize()).toString();
        } catch (InvalidPathException e) {
            throw new BadInputException(input + ": not a valid path: " + e.getReason(), e);
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            throw new BadInputException(input + ": not the address of a local file, such as file:///data/rows.csv", e);
        }
    }
}
