package io.sluice.service.spec;

import io.sluice.api.error.BadInputException;
import io.sluice.api.wire.FieldError;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.source.remote.RemoteInputs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a service may read from: directories, with what is below them, and beginnings of addresses. A client of the
 * service is not its user, so nothing else is opened, nor is it said whether there is such a file.
 */
public final class SourceRoots {
    private static final String HINT =
            "; the service reads below the directories and addresses only that it was started with (--allow-root)";

    private final List<Path> directories = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    /**
     * Roots as they were named.
     *
     * @throws BadInputException when a directory does not exist, or an address would allow more than it says
     */
    public SourceRoots(List<String> roots) {
        for (String root : roots) {
            if (RemoteInputs.isRemote(root)) {
                addresses.add(address(root));
            } else {
                directories.add(directory(root));
            }
        }
    }

    private static String address(String root) {
        int host = root.indexOf("://") + "://".length();
        if (root.indexOf('/', host) < 0 || root.indexOf('@') >= 0) {
            throw new BadInputException("--allow-root " + RemoteInputs.shown(root)
                    + ": end it with a slash, such as https://HOST/ or s3://BUCKET/, and without credentials:"
                    + " it is the beginning that allowed addresses have");
        }
        return normal(root);
    }

    private static Path directory(String root) {
        try {
            return Path.of(root).toRealPath();
        } catch (IOException | InvalidPathException e) {
            throw new BadInputException("--allow-root " + root + ": there is no such directory", e);
        }
    }

    /** All roots, for people. */
    public List<String> names() {
        List<String> names = new ArrayList<>(addresses);
        directories.forEach(directory -> names.add(directory.toString()));
        return names;
    }

    /**
     * What is wrong with inputs as they were named, before anything is opened.
     *
     * @return one error for each of them that is not below a root
     */
    public List<FieldError> check(List<String> inputs) {
        List<FieldError> errors = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            String problem = problem(inputs.get(i));
            if (problem != null) {
                errors.add(FieldError.of("/inputs/" + i, "not_allowed", problem + HINT));
            }
        }
        return errors;
    }

    private @Nullable String problem(String input) {
        if (RemoteInputs.isRemote(input)) {
            // What a server makes of dots is its affair, so there must be none.
            boolean below = addresses.stream().anyMatch(normal(input)::startsWith);
            return below && !input.contains("..")
                    ? null
                    : RemoteInputs.shown(input) + " is not below an allowed address";
        }
        try {
            Path path = Path.of(fixedPart(input));
            boolean below =
                    path.isAbsolute() && isBelow(existing(path.normalize()).toRealPath());
            return below ? null : input + " is not below an allowed directory, by its absolute path";
        } catch (IOException | InvalidPathException e) {
            return input + " is not below an allowed directory, by its absolute path";
        }
    }

    /** Of a glob, the directory that all it can match is below. */
    private static String fixedPart(String input) {
        int wildcard = 0;
        while (wildcard < input.length() && "*?[{\\".indexOf(input.charAt(wildcard)) < 0) {
            wildcard++;
        }
        return wildcard == input.length() ? input : input.substring(0, input.lastIndexOf('/', wildcard) + 1);
    }

    /** The path, or the closest directory above it that is there. */
    private static Path existing(Path path) {
        Path there = path;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return there;
    }

    private boolean isBelow(Path real) {
        return directories.stream().anyMatch(real::startsWith);
    }

    /** Without credentials and query; scheme and host in lower case, on which nothing depends. */
    private static String normal(String address) {
        String shown = RemoteInputs.shown(address);
        int path = shown.indexOf('/', shown.indexOf("://") + "://".length());
        int end = path < 0 ? shown.length() : path;
        return shown.substring(0, end).toLowerCase(Locale.ROOT) + shown.substring(end);
    }

    /**
     * Finds the files that inputs stand for.
     *
     * @throws InvalidSpecException when one is not below a root, links followed
     * @throws BadInputException naming every input that is no readable file
     */
    public List<InputFile> resolve(List<String> inputs, SourceSettings settings) {
        List<FieldError> errors = check(inputs);
        if (!errors.isEmpty()) {
            throw new InvalidSpecException(errors);
        }
        List<InputFile> files = InputFiles.resolve(inputs, settings);
        for (InputFile file : files) {
            Path path = file.path();
            if (path != null && !isReallyBelow(path)) {
                throw new InvalidSpecException(List.of(FieldError.of(
                        "/inputs", "not_allowed", file.name() + " leads out of the allowed directories" + HINT)));
            }
        }
        return files;
    }

    private boolean isReallyBelow(Path path) {
        try {
            return isBelow(path.toRealPath());
        } catch (IOException e) {
            return false;
        }
    }
}
