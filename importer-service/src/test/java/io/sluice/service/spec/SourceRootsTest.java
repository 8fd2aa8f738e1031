package io.sluice.service.spec;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.wire.FieldError;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.SourceSettings;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the roots by tables of addresses, hosts and paths, with real directories and links. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SourceRootsTest {
    private static final int RACES = 200;
    private static final String ROWS = "1,inside\n";

    @TempDir
    Path directory;

    /**
     * The left column is an input of a service with the roots {@code http://host:81/data/} and {@code s3://b/data/}.
     */
    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            http://host:81/data/x.csv              | below
            http://host:81/data/                   | below
            HTTP://HOST:81/data/x.csv              | below
            http://user:secret@host:81/data/x.csv  | below
            http://host:81/data/a%20b%2Fc.csv      | below
            http://host:81/data/100%.csv           | elsewhere
            http://host:81/data/x..y               | below
            http://host:81/data/...                | below
            http://host:81/data                    | elsewhere
            http://host:81/dat/x                   | elsewhere
            http://host:81/secret                  | elsewhere
            http://host:81//data/secret            | elsewhere
            http://host:81/data/../secret          | elsewhere
            http://host:81/data/./x                | elsewhere
            http://host:81/data/%2e%2e/secret      | elsewhere
            http://host:81/data/.%2e/secret        | elsewhere
            http://host:81/data/%2E./secret        | elsewhere
            http://host:81/data/%252e%252e/secret  | elsewhere
            http://host:81/data/%25252e%25252e/s   | elsewhere
            http://host:81/data/%2525252e./secret  | elsewhere
            http://host:81/data/%252525252e./s     | elsewhere
            http://host:81/data/..%2fsecret        | elsewhere
            http://host:81/data/..%5csecret        | elsewhere
            http://host:81/data/%c0%ae%c0%ae/s     | elsewhere
            http://host:81/data/%ef%bc%8e./secret  | elsewhere
            http://host:81/data//%2e%2e//secret    | elsewhere
            http://host:81/data/..;x=1/secret      | elsewhere
            http://host:81/data/%2e%2e%3bx/secret  | elsewhere
            http://host:81/data/%20../secret       | elsewhere
            http://host:81/data/x%00               | elsewhere
            http://host:82/data/x                  | elsewhere
            http://host/data/x                     | elsewhere
            https://host:81/data/x                 | elsewhere
            http://host.evil.test:81/data/x        | elsewhere
            http://host:81@evil.test/data/x        | elsewhere
            s3://b/data/x.csv                      | below
            S3://b/data/x.csv                      | below
            s3://b/data/../x                       | elsewhere
            s3://b/data/a%20b                      | below
            s3://b/data%2fx                        | elsewhere
            s3://b/d%61ta/x                        | elsewhere
            s3://b/x                               | elsewhere
            s3://b                                 | elsewhere
            s3://bb/data/x                         | elsewhere
            """)
    void addressesAreBelowARootByTheirDecodedPath(String input, String where) {
        SourceRoots roots = new SourceRoots(List.of("http://host:81/data/", "s3://b/data/"));
        List<String> codes = roots.check(List.of(input), SourceSettings.DEFAULT).stream()
                .map(FieldError::code)
                .toList();
        assertEquals(where.equals("below") ? List.of() : List.of("not_allowed"), codes);
    }

    /** A scheme's own port may be written or not. */
    @ParameterizedTest
    @CsvSource({"https://h/,https://h:443/x", "http://h:80/,http://h/x"})
    void usualPortsAreEqual(String root, String input) {
        assertEquals(List.of(), new SourceRoots(List.of(root)).check(List.of(input), SourceSettings.DEFAULT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://host", "http://user@host/", "http://host/%2e%2e/", "s3://b", "http:///x/"})
    void rootThatWouldAllowMoreThanItSaysIsRefused(String root) {
        BadInputException refused = assertThrows(BadInputException.class, () -> new SourceRoots(List.of(root)));
        assertTrue(String.valueOf(refused.getMessage()).contains("end it with a slash"), refused.getMessage());
    }

    /** Link-local addresses and metadata services, also within IPv6 addresses that carry IPv4 addresses. */
    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource(delimiter = '|', textBlock = """
            169.254.169.254        | refused
            169.254.0.1            | refused
            100.100.100.200        | refused
            192.0.0.192            | refused
            0.0.0.0                | refused
            224.0.0.1              | refused
            fe80::1                | refused
            fd00:ec2::254          | refused
            ::ffff:169.254.169.254 | refused
            ::169.254.169.254      | refused
            64:ff9b::a9fe:a9fe     | refused
            2002:a9fe:a9fe::1      | refused
            ::                     | refused
            127.0.0.1              | read
            ::1                    | read
            10.0.0.1               | read
            100.100.100.201        | read
            fd00:ec2::253          | read
            64:ff9b::a00:1         | read
            2002:a00:1::1          | read
            2001:db8::1            | read
            """)
    void hostsOfMetadataServicesAreRefused(String address, String expected) throws UnknownHostException {
        assertEquals(expected.equals("refused"), AllowedAddresses.isRefused(InetAddress.getByName(address)));
    }

    /** An operator who names exactly that address means it; a name that resolves to it is another matter. */
    @Test
    void addressThatTheOperatorNamedIsRead() {
        SourceRoots roots = new SourceRoots(List.of("http://169.254.169.254/data/"));
        assertDoesNotThrow(() -> roots.check(URI.create("http://169.254.169.254/data/x")));
        URI other = URI.create("http://169.254.169.254/secret/x");
        assertThrows(BadInputException.class, () -> roots.check(other));
    }

    /** Paths below the root {@code root}, which has the file {@code d/x.csv} and links. */
    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource(delimiter = '|', textBlock = """
            root/d/x.csv         | below
            root/d/*.csv         | below
            root/d/missing.csv   | below
            root/to-d/x.csv      | below
            root                 | below
            outside/x.csv        | elsewhere
            root/../outside/x    | elsewhere
            root/d/../../outside | elsewhere
            root/to-outside/x    | elsewhere
            root/to-outside/*    | elsewhere
            root/d/top/../outside/x.csv | elsewhere
            root/d/top/../missing/x.csv | elsewhere
            rootless/x           | elsewhere
            """)
    void filesAreBelowARootWhenLinksAreResolved(String path, String where) throws IOException {
        Path root = Files.createDirectories(directory.resolve("root"));
        Files.createDirectories(root.resolve("d"));
        Files.createDirectories(directory.resolve("outside"));
        Files.writeString(root.resolve("d/x.csv"), ROWS);
        Files.createSymbolicLink(root.resolve("to-d"), root.resolve("d"));
        Files.createSymbolicLink(root.resolve("to-outside"), directory.resolve("outside"));
        Files.createSymbolicLink(root.resolve("d/top"), root);
        SourceRoots roots = new SourceRoots(List.of(root.toString()));
        List<FieldError> errors = roots.check(List.of(directory + "/" + path), SourceSettings.DEFAULT);
        assertEquals(where.equals("below"), errors.isEmpty(), errors.toString());
        assertEquals(1, roots.check(List.of(path), SourceSettings.DEFAULT).size(), "a relative path");
    }

    /** A client that browses does not learn whether a file exists elsewhere. */
    @Test
    void listingsSayTheSameOfAllThatIsElsewhere() throws IOException {
        Path root = Files.createDirectories(directory.resolve("root"));
        Path outside = Files.createDirectories(directory.resolve("outside"));
        Path file = Files.createFile(directory.resolve("file"));
        SourceRoots roots = new SourceRoots(List.of(root.toString()));
        for (Path elsewhere : List.of(outside, file, directory.resolve("missing"), outside.resolve("missing"))) {
            BadInputException refused = assertThrows(BadInputException.class, () -> roots.list(elsewhere.toString()));
            assertEquals(
                    elsewhere + ": is not below an allowed directory" + SourceRoots.HINT,
                    refused.getMessage(),
                    elsewhere.toString());
        }
        BadInputException missing = assertThrows(
                BadInputException.class,
                () -> roots.list(root.resolve("missing").toString()));
        assertEquals(root.resolve("missing") + ": is no directory that the service can list", missing.getMessage());
    }

    @Test
    void missingDirectoryBelowARootIsNamed() throws IOException {
        Path root = Files.createDirectories(directory.resolve("root"));
        Files.createSymbolicLink(root.resolve("out"), directory);
        SourceRoots roots = new SourceRoots(List.of(root.toString()));
        String missing = root.resolve("missing").toString();
        BadInputException refused =
                assertThrows(BadInputException.class, () -> roots.directory(missing, List.of("manifest.json")));
        assertEquals(missing + ": no such directory", refused.getMessage());
        for (String elsewhere : List.of(directory + "/missing", root + "/out/missing", root + "/../missing")) {
            refused = assertThrows(BadInputException.class, () -> roots.directory(elsewhere, List.of("manifest.json")));
            assertTrue(String.valueOf(refused.getMessage()).contains("is not below an allowed"), refused.getMessage());
        }
    }

    /** A match would tell what is behind a link. */
    @Test
    void patternsFollowNoLinksToDirectories() throws IOException {
        Path root = Files.createDirectories(directory.resolve("root"));
        Files.createDirectories(root.resolve("d"));
        Files.writeString(root.resolve("d/x.csv"), ROWS);
        Files.createDirectories(directory.resolve("outside"));
        Files.writeString(directory.resolve("outside/x.csv"), ROWS);
        Files.createSymbolicLink(root.resolve("out"), directory.resolve("outside"));
        SourceRoots roots = new SourceRoots(List.of(root.toString()));
        List<String> remarks = new ArrayList<>();
        List<InputFile> files = roots.resolve(List.of(root + "/*/x.csv"), SourceSettings.DEFAULT, remarks::add);
        assertEquals(
                List.of(root.resolve("d/x.csv")),
                files.stream().map(InputFile::path).toList());
        assertEquals(1, remarks.size());
        assertTrue(remarks.get(0).contains("no links are followed to directories: " + root + "/out/"), remarks.get(0));
    }

    @Test
    void aDirectoryThatBecomesALinkLeadsNowhereElse() throws Exception {
        Path root = Files.createDirectories(directory.resolve("root"));
        Path outside = Files.createDirectories(directory.resolve("outside"));
        Files.writeString(outside.resolve("x.csv"), "1,outside\n");
        Path real = Files.createDirectories(root.resolve("real"));
        Files.writeString(real.resolve("x.csv"), ROWS);
        Path swapped = root.resolve("swapped");
        SourceRoots roots = new SourceRoots(List.of(root.toString()));
        AtomicBoolean done = new AtomicBoolean();
        Thread swapper = new Thread(() -> swap(swapped, real, outside, done));
        swapper.start();
        int read = 0;
        try {
            while (read < RACES) {
                String text = read(roots, swapped.resolve("x.csv"));
                if (text != null) {
                    assertEquals(ROWS, text);
                    read++;
                }
            }
        } finally {
            done.set(true);
            swapper.join();
        }
    }

    /** The file's text, or null when it was refused. */
    private static @Nullable String read(SourceRoots roots, Path file) {
        try {
            InputFile input = roots.resolve(List.of(file.toString()), SourceSettings.DEFAULT)
                    .get(0);
            // Long after the check, as an import of many files opens its last.
            Thread.onSpinWait();
            try (InputStream in = input.origin().open()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (InvalidSpecException | BadInputException | IOException e) {
            return null;
        }
    }

    private static void swap(Path swapped, Path real, Path outside, AtomicBoolean done) {
        Path next = swapped.resolveSibling("next");
        try {
            for (boolean in = true; !done.get(); in = !in) {
                Files.deleteIfExists(next);
                Files.createSymbolicLink(next, in ? real : outside);
                Files.move(next, swapped, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
