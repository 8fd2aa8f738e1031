package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.api.wire.ProblemKind;
import io.sluice.cli.ExitCode;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.importer.decode.Reject;
import io.sluice.model.error.FailureCode;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/reference/errors.md} holds every code that a client can branch on, with the words of the code's comments.
 */
class ErrorReferenceTest {
    private static final Path FILE = Path.of("..", "docs", "reference", "errors.md");
    private static final Pattern LINK = Pattern.compile("\\{@(?:link|code) (?:Problem#)?([^}]*)}");

    @Test
    void docsHoldEveryCode() throws Exception {
        String reference = reference();
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(FILE, reference);
        }
        assertEquals(
                Files.readString(FILE),
                reference,
                "docs/reference/errors.md is out of date; write it with -Dtest=ErrorReferenceTest -Dsluice.docs.write=true");
    }

    private static String reference() throws IOException, IllegalAccessException {
        return """
                # Errors

                Scripts and clients branch on the codes below, never on messages. `ErrorReferenceTest` generates this file.

                ## Exit codes

                | code | meaning |
                |---|---|
                %s
                ## Problems

                The HTTP APIs of node and service answer errors as `application/problem+json` (RFC 9457). `type` names the kind; `detail` says
                what failed and what to do.

                | type | status | title | when |
                |---|---|---|---|
                %s
                ## Statements

                `error.code` of a result of `POST /v1/sql`. An invalid statement ends `sluice sql` with exit code 2, any other error with 1.
                [sql.md](sql.md#errors) says what to do.

                | code | statement | meaning |
                |---|---|---|
                %s
                ## Rejects

                `code` in lists of rejects, and the members of `rejected.byReason` in [the report](report.md). [rejects.md](../how-to/rejects.md) says
                how to repair them.

                | code | meaning |
                |---|---|
                %s
                ## Failures of imports

                `failure` of an import in state `failed` in the import service's API.

                | code | meaning |
                |---|---|
                %s""".formatted(exitCodes(), problems(), statements(), rejects(), failures());
    }

    private static String exitCodes() throws IOException, IllegalAccessException {
        String source = source("importer-cli", ExitCode.class);
        StringBuilder rows = new StringBuilder();
        for (Field code : ExitCode.class.getFields()) {
            String comment = code.getName().equals("OK")
                    ? "The command did what it says."
                    : comment(source, "public static final int " + code.getName() + " ");
            rows.append("| ")
                    .append(code.getInt(null))
                    .append(" | ")
                    .append(comment)
                    .append(" |\n");
        }
        return rows.toString();
    }

    private static String problems() throws IOException {
        String source = source("storage-api", ProblemKind.class);
        return Arrays.stream(ProblemKind.values())
                .map(kind -> "| `" + kind.type() + "` | " + kind.status() + " | " + kind.title() + " | "
                        + comment(source, kind.name() + "(") + " |\n")
                .collect(Collectors.joining());
    }

    private static String statements() throws IOException {
        String source = source("sql-grammar", SqlErrorCode.class);
        return Arrays.stream(SqlErrorCode.values())
                .map(code -> "| `" + code.text() + "` | " + (code.badInput() ? "invalid" : "failed") + " | "
                        + required(code.text(), comment(source, code.name() + "(")) + " |\n")
                .collect(Collectors.joining());
    }

    private static String rejects() throws IOException {
        String source = source("importer-core", Reject.class);
        return Arrays.stream(Reject.Code.values())
                .map(code -> "| `" + code.text() + "` | "
                        + required(
                                code.text(), comment(source, code.name() + (code == Reject.Code.CONFLICT ? ";" : ",")))
                        + " |\n")
                .collect(Collectors.joining());
    }

    private static String failures() throws IOException {
        String source = source("storage-model", FailureCode.class);
        return Arrays.stream(FailureCode.values())
                .map(code -> "| `" + code.text() + "` | "
                        + required(code.text(), comment(source, code.name() + (code == FailureCode.DEFECT ? ";" : ",")))
                        + " |\n")
                .collect(Collectors.joining());
    }

    private static String source(String module, Class<?> type) throws IOException {
        return Files.readString(
                Path.of("..", module, "src/main/java", type.getName().replace('.', '/') + ".java"));
    }

    private static String required(String code, String comment) {
        assertFalse(comment.isEmpty(), code + " has no comment that says what it means; add one to its constant");
        return comment;
    }

    /** The javadoc right before a declaration, as one line; empty if it has none. */
    private static String comment(String source, String declaration) {
        Matcher found = Pattern.compile(
                        "/\\*\\* ((?:(?!\\*/).)*?) ?\\*/\\s+" + Pattern.quote(declaration), Pattern.DOTALL)
                .matcher(source);
        if (!found.find()) {
            return "";
        }
        String text = found.group(1).replaceAll("\\s*\\n\\s*\\*?\\s*", " ").strip();
        return LINK.matcher(text).replaceAll("`$1`");
    }
}
