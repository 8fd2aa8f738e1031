package io.sluice.importer.source;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.source.origin.StandardInput;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Turns the arguments a user gave into a list of files: files, directories, globs, and {@code -} for standard input.
 */
public final class InputFiles {
    private InputFiles() {}

    /**
     * Resolves arguments in their order; the files of a directory or glob come in the order of their names.
     *
     * @throws BadInputException naming every argument that is no readable file
     */
    public static List<InputFile> resolve(List<String> arguments) {
        List<InputFile> files = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (String argument : arguments) {
            String problem = resolve(argument, files);
            if (problem != null) {
                problems.add(problem);
            }
        }
        if (files.stream().filter(file -> file.origin() instanceof StandardInput).count() > 1) {
            problems.add("-: standard input can be read only once");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        if (files.isEmpty()) {
            throw new BadInputException("no input files: name files, directories, globs, or - for standard input");
        }
        return files;
    }

    private static @Nullable String resolve(String argument, List<InputFile> files) {
        if (argument.equals("-")) {
            files.add(new InputFile(files.size(), "-", null, -1));
            return null;
        }
        try {
            Path path = Path.of(argument);
            if (Files.isDirectory(path)) {
                return addDirectory(path, files);
            }
            if (Files.exists(path)) {
                return addFile(path, files);
            }
            if (argument.matches(".*[*?\\[{].*")) {
                return addGlob(argument, files);
            }
            return argument + ": no such file; check the path";
        } catch (InvalidPathException e) {
            return argument + ": not a path: " + e.getReason();
        } catch (IOException e) {
            return argument + ": cannot be read: " + reason(e);
        }
    }

    private static @Nullable String addFile(Path path, List<InputFile> files) throws IOException {
        if (!Files.isReadable(path)) {
            return path + ": cannot be read: permission denied";
        }
        // A pipe has no length and can be read once, from its beginning, as every source is read here.
        long size = Files.isRegularFile(path) ? Files.size(path) : -1;
        files.add(new InputFile(files.size(), path.toString(), path, size));
        return null;
    }

    private static @Nullable String addDirectory(Path directory, List<InputFile> files) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (Files.isRegularFile(entry)
                        && !entry.getFileName().toString().startsWith(".")) {
                    found.add(entry);
                }
            }
        }
        return addAll(found, directory + ": the directory holds no files", files);
    }

    private static @Nullable String addGlob(String glob, List<InputFile> files) throws IOException {
        Path base = fixedPart(glob);
        if (!Files.isDirectory(base)) {
            return glob + ": no such directory as " + base;
        }
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        boolean relative = !Path.of(glob).isAbsolute();
        List<Path> found;
        try (Stream<Path> walk = Files.walk(base)) {
            found = walk.map(path -> relative ? path.normalize() : path)
                    .filter(path -> matcher.matches(path) && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
        return addAll(found, glob + ": no file matches", files);
    }

    private static @Nullable String addAll(List<Path> found, String none, List<InputFile> files) throws IOException {
        if (found.isEmpty()) {
            return none;
        }
        for (Path path : found.stream().sorted().toList()) {
            String problem = addFile(path, files);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /** The directory above the first path element with a wildcard. */
    private static Path fixedPart(String glob) {
        int wildcard = 0;
        while ("*?[{".indexOf(glob.charAt(wildcard)) < 0) {
            wildcard++;
        }
        int slash = glob.lastIndexOf('/', wildcard);
        return slash < 0 ? Path.of("") : Path.of(glob.substring(0, slash + 1));
    }

    private static String reason(IOException e) {
        return e instanceof java.nio.file.AccessDeniedException ? "permission denied" : String.valueOf(e.getMessage());
    }
}
