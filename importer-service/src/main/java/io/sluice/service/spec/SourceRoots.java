package io.sluice.service.spec;

import io.sluice.api.wire.FieldError;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.source.origin.Access;
import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The locations that a service may read: below directories and below addresses. A client of the service has no rights
 * on its machine, so the service opens nothing else, and does not reveal whether another file exists.
 */
public final class SourceRoots implements Access {
    static final String HINT =
            "; the service reads below the directories and addresses only that it was started with (--allow-root)";

    private final AllowedDirectories directories = new AllowedDirectories();
    private final AllowedAddresses addresses = new AllowedAddresses();
    private final List<String> endpoints = new ArrayList<>();

    /** Creates the roots without object stores other than AWS. */
    public SourceRoots(List<String> roots) {
        this(roots, List.of());
    }

    /**
     * Creates the roots and the allowed endpoints of object stores.
     *
     * @throws BadInputException if a directory does not exist, or an address would allow more than it says
     */
    public SourceRoots(List<String> roots, List<URI> endpoints) {
        for (String root : roots) {
            if (RemoteInputs.isRemote(root)) {
                addresses.add(root);
            } else {
                directories.add(root);
            }
        }
        for (URI each : endpoints) {
            if (each.getHost() == null || each.getScheme() == null || each.getUserInfo() != null) {
                throw new BadInputException("--s3-endpoint " + RemoteInputs.shown(each.toString())
                        + ": must have the form https://HOST:PORT, without credentials");
            }
            this.endpoints.add(endpoint(each));
        }
    }

    /** An endpoint in the compared form. */
    private static String endpoint(URI endpoint) {
        String path = endpoint.getRawPath() == null ? "" : endpoint.getRawPath();
        return AllowedAddresses.origin(endpoint) + (path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
    }

    /** All roots, for messages. */
    public List<String> names() {
        List<String> names = new ArrayList<>(addresses.names());
        names.addAll(directories.names());
        return names;
    }

    /**
     * Checks the names of inputs before any is opened.
     *
     * @return one error per input that is not below a root, and one for an object store that the operator did not allow
     */
    public List<FieldError> check(List<String> inputs, SourceSettings settings) {
        List<FieldError> errors = new ArrayList<>();
        URI store = settings.s3().endpoint();
        if (store != null && !endpoints.contains(endpoint(store))) {
            errors.add(FieldError.of(
                    "/s3/endpoint",
                    "not_allowed",
                    "s3/endpoint " + RemoteInputs.shown(store.toString())
                            + " is not one that the service was started with (--s3-endpoint): it would be sent requests"
                            + " signed with the service's key"));
        }
        for (int i = 0; i < inputs.size(); i++) {
            String problem = problem(inputs.get(i));
            if (problem != null) {
                errors.add(FieldError.of("/inputs/" + i, "not_allowed", problem + HINT));
            }
        }
        return errors;
    }

    /**
     * The real path of a directory below the roots.
     *
     * @param files its files that are read by name; links are refused
     * @throws BadInputException if it is not below a root, or a file is missing
     */
    public Path directory(String place, List<String> files) {
        try {
            Path named = Path.of(place);
            if (named.isAbsolute() && directories.isBelow(existing(named).toRealPath()) && Files.notExists(named)) {
                throw new BadInputException(place + ": no such directory");
            }
            Path real = named.toRealPath();
            if (named.isAbsolute() && directories.isBelow(real)) {
                for (String file : files) {
                    if (!Files.isRegularFile(real.resolve(file), LinkOption.NOFOLLOW_LINKS)) {
                        throw new BadInputException(place + ": has no file " + file);
                    }
                }
                return real;
            }
        } catch (IOException | InvalidPathException e) {
            // As if it were elsewhere: clients do not learn what exists there.
        }
        throw new BadInputException(place + " is not below an allowed directory, by its absolute path" + HINT);
    }

    /**
     * Lists a directory.
     *
     * @param path its absolute path; null for the roots themselves
     * @throws BadInputException if it is not below a root, or no directory
     */
    public RootListing list(@Nullable String path) {
        if (path != null) {
            return directories.list(path);
        }
        List<RootListing.Entry> roots = new ArrayList<>(directories.entries());
        addresses.names().forEach(name -> roots.add(new RootListing.Entry(name, name, "address", 0, null)));
        return new RootListing(null, null, roots, false);
    }

    private @Nullable String problem(String input) {
        if (RemoteInputs.isRemote(input)) {
            return addresses.allows(input) ? null : RemoteInputs.shown(input) + " is not below an allowed address";
        }
        try {
            Path path = Path.of(fixedPart(input));
            boolean below =
                    path.isAbsolute() && directories.isBelow(existing(path).toRealPath());
            return below ? null : input + " is not below an allowed directory, by its absolute path";
        } catch (IOException | InvalidPathException e) {
            return input + " is not below an allowed directory, by its absolute path";
        }
    }

    /** The directory of a glob below which all its matches are. */
    private static String fixedPart(String input) {
        int wildcard = 0;
        while (wildcard < input.length() && "*?[{\\".indexOf(input.charAt(wildcard)) < 0) {
            wildcard++;
        }
        return wildcard == input.length() ? input : input.substring(0, input.lastIndexOf('/', wildcard) + 1);
    }

    /** The path, or its closest existing parent; a step up goes up from where a link leads. */
    static Path existing(Path path) {
        Path there = path;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return there;
    }

    /**
     * Resolves inputs to files.
     *
     * @throws InvalidSpecException if a file is not below a root after links are resolved
     * @throws BadInputException if inputs are not readable files; the message names all of them
     */
    public List<InputFile> resolve(List<String> inputs, SourceSettings settings) {
        return resolve(inputs, settings, remark -> {});
    }

    /**
     * Resolves inputs as {@link #resolve(List, SourceSettings)} does.
     *
     * @param remarks receives a line for each directory with entries that are passed over
     */
    public List<InputFile> resolve(List<String> inputs, SourceSettings settings, Consumer<String> remarks) {
        List<FieldError> errors = check(inputs, settings);
        if (!errors.isEmpty()) {
            throw new InvalidSpecException(errors);
        }
        List<InputFile> files = InputFiles.resolve(inputs, settings.within(this), remarks);
        for (InputFile file : files) {
            Path path = file.path();
            boolean allowed = path != null
                    ? isReallyBelow(path)
                    : addresses.allows(file.origin().toString().replace("?…", ""));
            if (!allowed) {
                throw new InvalidSpecException(List.of(FieldError.of(
                        "/inputs",
                        "not_allowed",
                        "an input leads out of the allowed directories and addresses" + HINT)));
            }
        }
        return files;
    }

    private boolean isReallyBelow(Path path) {
        try {
            return directories.isBelow(path.toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public ReadableByteChannel open(Path file) throws IOException {
        return directories.open(file);
    }

    @Override
    public void check(URI address) {
        addresses.check(address);
    }
}
