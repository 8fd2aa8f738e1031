package io.sluice.importer.source;

import io.sluice.importer.source.Parallel.Found;
import io.sluice.importer.source.origin.Access;
import io.sluice.importer.source.origin.LocalFile;
import io.sluice.importer.source.origin.StandardInput;
import io.sluice.importer.source.remote.Remote;
import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the user's arguments to a list of inputs: files, directories, globs, {@code -} for standard input, and
 * addresses of local files, http(s) and S3.
 */
public final class InputFiles {
    /** Requests to servers in parallel: 2,000 answers of 50 ms then take some six seconds. */
    private static final int PARALLEL_REQUESTS = 16;

    /** Most names in a remark. */
    private static final int NAMES_SHOWN = 10;

    /** Directories that have the versions of a table, whose own directory has the files of all versions. */
    private static final Map<String, String> VERSIONED = Map.of("_delta_log", "Delta Lake", ".hoodie", "Apache Hudi");

    private static final Pattern ADDRESS =
            Pattern.compile("(?!file:)([a-z][a-z0-9+.-]+)://.*", Pattern.CASE_INSENSITIVE);

    private final Encoding encoding;
    private final Access access;
    private final RemoteInputs remotes;
    private final List<InputFile> files = new ArrayList<>();
    private final Consumer<String> remarks;

    private InputFiles(SourceSettings settings, Consumer<String> remarks) {
        this.remarks = remarks;
        encoding = settings.encoding();
        access = settings.access();
        remotes = new RemoteInputs(settings.s3(), RemoteInputs.BACKOFF, access);
    }

    /** Resolves arguments as {@link #resolve(List, SourceSettings)} does, with the usual settings. */
    public static List<InputFile> resolve(List<String> arguments) {
        return resolve(arguments, SourceSettings.DEFAULT);
    }

    /**
     * Resolves arguments in their order; the files of a directory, prefix or glob come in the order of their names.
     *
     * @throws BadInputException naming every argument that is not a readable file
     * @throws io.sluice.model.error.OperationFailedException when a server does not answer
     */
    public static List<InputFile> resolve(List<String> arguments, SourceSettings settings) {
        return resolve(arguments, settings, remark -> {});
    }

    /**
     * Resolves arguments as {@link #resolve(List, SourceSettings)} does.
     *
     * @param remarks receives a line for each directory with entries that are passed over
     */
    public static List<InputFile> resolve(List<String> arguments, SourceSettings settings, Consumer<String> remarks) {
        return new InputFiles(settings, remarks).all(arguments);
    }

    private List<InputFile> all(List<String> arguments) {
        List<String> problems = new ArrayList<>();
        List<String> addresses =
                arguments.stream().filter(RemoteInputs::isRemote).toList();
        Iterator<Found<Remote>> found =
                Parallel.map(addresses, PARALLEL_REQUESTS, remotes::find).iterator();
        boolean unanswered = false;
        for (String argument : arguments) {
            if (RemoteInputs.isRemote(argument)) {
                Found<Remote> answer = found.next();
                answer.results().forEach(this::add);
                unanswered |= answer.problem() instanceof OperationFailedException;
                if (answer.problem() != null) {
                    problems.add(answer.problem().getMessage());
                }
            } else {
                String problem = resolve(argument);
                if (problem != null) {
                    problems.add(problem);
                }
            }
        }
        if (files.stream()
                        .filter(file -> file.origin() instanceof StandardInput)
                        .count()
                > 1) {
            problems.add("-: standard input can be read only once");
        }
        if (!problems.isEmpty()) {
            String message = String.join("\n", problems);
            throw unanswered ? new OperationFailedException(message) : new BadInputException(message);
        }
        if (files.isEmpty()) {
            throw new BadInputException("no input files: name files, directories, globs, or - for standard input");
        }
        return files;
    }

    private void add(Remote remote) {
        files.add(new InputFile(files.size(), remote.name(), remote.origin(), remote.sizeBytes(), encoding));
    }

    /**
     * The path of a local input, which is a path or an address of {@code file:}.
     *
     * @throws InvalidPathException if it is not a path
     * @throws IllegalArgumentException if it is not an address of a local file
     * @throws FileSystemNotFoundException as well
     */
    public static Path local(String argument) {
        return argument.startsWith("file:") ? Path.of(URI.create(argument)) : Path.of(argument);
    }

    private @Nullable String resolve(String argument) {
        if (argument.equals("-")) {
            files.add(new InputFile(files.size(), "-", new StandardInput(), -1, encoding));
            return null;
        }
        if (argument.isEmpty()) {
            return "the name of an input is empty";
        }
        try {
            Path path = local(argument);
            if (Files.isDirectory(path)) {
                return addDirectory(path);
            }
            if (Files.exists(path)) {
                return addFile(path);
            }
            if (argument.matches(".*[*?\\[{].*")) {
                return addGlob(argument);
            }
            Matcher address = ADDRESS.matcher(argument);
            if (address.matches()) {
                return argument + ": addresses of " + address.group(1)
                        + " are not supported; use http, https, s3 or file, or copy it to a local file";
            }
            return argument + ": no such file; check the path";
        } catch (InvalidPathException e) {
            return argument + ": not a path: " + e.getReason();
        } catch (PatternSyntaxException e) {
            return argument + ": no such file, and no pattern: " + e.getDescription() + "; check the path";
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            return argument + ": not the address of a local file, such as file:///data/rows.csv";
        } catch (IOException e) {
            return argument + ": cannot be read: " + reason(e);
        }
    }

    private @Nullable String addFile(Path path) throws IOException {
        if (!Files.isReadable(path)) {
            return path + ": cannot be read: permission denied";
        }
        // A pipe has no length and can be read once, from its start; every source is read like that.
        long size = Files.isRegularFile(path) ? Files.size(path) : -1;
        files.add(new InputFile(files.size(), path.toString(), new LocalFile(path, access), size, encoding));
        return null;
    }

    /** Names the first ones, and counts the others. */
    public static String named(List<String> names) {
        int more = names.size() - NAMES_SHOWN;
        return String.join(", ", names.subList(0, Math.min(NAMES_SHOWN, names.size())))
                + (more > 0 ? " and " + more + " more" : "");
    }

    private @Nullable String addDirectory(Path directory) throws IOException {
        for (Map.Entry<String, String> log : VERSIONED.entrySet()) {
            if (Files.isDirectory(directory.resolve(log.getKey()))) {
                return directory + ": is a table of " + log.getValue() + ", and has files of its earlier versions, too,"
                        + " whose rows would be imported; name the files of one version, in quotes as " + directory
                        + "/*.parquet if these are all, or export the table";
            }
        }
        List<Path> found = new ArrayList<>();
        List<Path> passed = new ArrayList<>();
        boolean deeper = list(directory, found, passed);
        String all = "; name their files as " + directory + "/**, in quotes";
        if (!found.isEmpty() && !passed.isEmpty()) {
            List<String> names = passed.stream()
                    .sorted()
                    .map(path -> directory.relativize(path) + (Files.isDirectory(path) ? "/" : ""))
                    .toList();
            remarks.accept("input: passed over in " + directory + ": " + named(names)
                    + (passed.stream().anyMatch(Files::isDirectory) ? all : ""));
        }
        return addAll(found, directory + ": the directory holds no files" + (deeper ? ", only directories" + all : ""));
    }

    /**
     * Lists the files of a directory, and of those below it that are named as values of columns: {@code year=2024}.
     *
     * @param passed receives other directories, links to nothing, and what is no regular file
     * @return whether it has directories
     */
    private static boolean list(Path directory, List<Path> found, List<Path> passed) throws IOException {
        boolean deeper = false;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                boolean below = Files.isDirectory(entry) && !isHidden(entry);
                deeper |= below;
                if (below && entry.getFileName().toString().indexOf('=') > 0) {
                    list(entry, found, passed);
                } else if (!isHidden(entry) && !isMarker(entry)) {
                    (Files.isRegularFile(entry) ? found : passed).add(entry);
                }
            }
        }
        return deeper;
    }

    private static boolean isHidden(Path file) {
        return file.getFileName().toString().startsWith(".");
    }

    private static boolean isMarker(Path file) {
        return RemoteInputs.isMarker(file.getFileName().toString());
    }

    private @Nullable String addGlob(String glob) throws IOException {
        String fixed = fixedPart(glob);
        Path base = Path.of(fixed);
        if (!Files.isDirectory(base)) {
            return glob + ": no such directory as " + base;
        }
        boolean deep = glob.contains("**");
        // A link may lead out of what may be read, and a glob must not tell what is there.
        boolean follows = !deep && access.equals(Access.ALL);
        List<Path> links = new ArrayList<>();
        List<Path> directories = new ArrayList<>();
        List<Path> found = matching(base, glob.substring(fixed.length()), follows, links, directories);
        List<String> passed = directories.stream()
                .sorted()
                .map(directory -> base.resolve(directory) + "/")
                .toList();
        if (!found.isEmpty() && !passed.isEmpty()) {
            remarks.accept("input: passed over directories that match " + glob + ": " + named(passed)
                    + "; name those that are to be imported");
        }
        if (!found.isEmpty() && !links.isEmpty()) {
            List<String> names = links.stream()
                    .sorted()
                    .map(link -> base.resolve(link) + "/")
                    .toList();
            remarks.accept("input: " + (deep ? "** follows no links" : "no links are followed") + " to directories: "
                    + named(names) + "; name those that are to be imported");
        }
        return addAll(
                found,
                glob + ": no file matches"
                        + (passed.isEmpty() ? "" : ", only directories; name those that are to be imported"));
    }

    /**
     * The files below a directory that match, in any order. Reads no directory in which none can be.
     *
     * @param glob relative to the directory
     * @param follows whether links to directories are followed, as a shell does except for {@code **}
     * @param links receives the links to directories that were not followed
     * @param directories receives the directories that match, without links
     * @throws IOException if a directory in which one can be cannot be read; one that was removed meanwhile has none
     */
    private static List<Path> matching(
            Path base, String glob, boolean follows, List<Path> links, List<Path> directories) throws IOException {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        boolean namesHidden = Path.of(glob).getFileName().toString().startsWith(".");
        int depth = glob.contains("**") ? Integer.MAX_VALUE : Path.of(glob).getNameCount();
        Set<FileVisitOption> options = follows ? Set.of(FileVisitOption.FOLLOW_LINKS) : Set.of();
        // The dot follows a link to the directory.
        Path start = base.resolve(".");
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(start, options, depth, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                Path path = start.relativize(file);
                boolean passed = isMarker(path) || (isHidden(path) && !namesHidden);
                boolean data = attributes.isSymbolicLink() ? Files.isRegularFile(file) : attributes.isRegularFile();
                if (data && !passed && matcher.matches(path)) {
                    found.add(base.resolve(path));
                }
                // The walk enters no directory as deep as the glob.
                if (attributes.isDirectory() && !passed && matcher.matches(path)) {
                    directories.add(path);
                }
                if (!follows && attributes.isSymbolicLink() && !isHidden(path) && Files.isDirectory(file)) {
                    links.add(path);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                return unlessMissing(failure);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                return failure == null ? FileVisitResult.CONTINUE : unlessMissing(failure);
            }

            private FileVisitResult unlessMissing(IOException failure) throws IOException {
                // The files of a link to a directory above it are found without the link.
                if (failure instanceof NoSuchFileException || failure instanceof FileSystemLoopException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return found;
    }

    private @Nullable String addAll(List<Path> found, String none) throws IOException {
        if (found.isEmpty()) {
            return none;
        }
        for (Path path : once(found)) {
            String problem = addFile(path);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /**
     * The files by name, without those that others of them are. A link such as {@code latest}, beside what it names,
     * would double the rows.
     */
    private List<Path> once(List<Path> found) throws IOException {
        Map<Path, Path> byReal = new HashMap<>();
        List<String> again = new ArrayList<>();
        for (Path path : found.stream().sorted().toList()) {
            Path real = path.toRealPath();
            Path other = byReal.get(real);
            boolean first = other == null || links(path) < links(other);
            if (first) {
                byReal.put(real, path);
            }
            if (other != null) {
                again.add((first ? other : path) + " is " + (first ? path : other));
            }
        }
        if (!again.isEmpty()) {
            remarks.accept("input: read once, since links name them again: " + named(again));
        }
        return byReal.values().stream().sorted().toList();
    }

    /** Number of links in a path: a file is read by the name that has fewest, whose directories may be its values. */
    private static int links(Path path) {
        int links = 0;
        for (Path each = path; each != null; each = each.getParent()) {
            links += Files.isSymbolicLink(each) ? 1 : 0;
        }
        return links;
    }

    /** The part before the first path element with a wildcard: empty, or up to a slash. */
    private static String fixedPart(String glob) {
        int wildcard = 0;
        while ("*?[{".indexOf(glob.charAt(wildcard)) < 0) {
            wildcard++;
        }
        return glob.substring(0, glob.lastIndexOf('/', wildcard) + 1);
    }

    private static String reason(IOException e) {
        return e instanceof AccessDeniedException denied
                ? "permission denied: " + denied.getFile()
                : String.valueOf(e.getMessage());
    }
}
