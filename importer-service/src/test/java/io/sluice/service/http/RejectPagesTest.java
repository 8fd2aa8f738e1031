package io.sluice.service.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.http.ApiRequest;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pages of a list of rejects on a real directory. The list of most tests, by line:
 *
 * <pre>
 *   1 range    column a
 *   2 conflict
 *   3 syntax   no column
 *   4 range    column b
 *   5 range    column a
 *   6 conflict
 * </pre>
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RejectPagesTest {
    private static final String ALL = "range a, conflict, syntax, range b, range a, conflict";

    @TempDir
    Path bundle;

    private int lines;

    @BeforeEach
    void write() throws IOException {
        for (String reject : ALL.split(", ", -1)) {
            String[] words = reject.split(" ", -1);
            append(line(words[0], words.length == 1 ? "" : words[1], ""));
        }
    }

    private void append(String text) throws IOException {
        Files.writeString(bundle.resolve("rejects.jsonl"), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private String line(String code, String column, String more) {
        return "{\"line\":" + ++lines + ",\"code\":\"" + code + "\",\"column\":\"" + column + "\",\"message\":\"reason "
                + lines + "\"" + more + "}\n";
    }

    private static Paging page(@Nullable Object size, String token) {
        String query = (size == null ? "" : "pageSize=" + size + "&") + "pageToken=" + token;
        HttpRequest request = HttpRequest.of(HttpMethod.GET, "/v1/imports/a/rejects?" + query);
        return Paging.of(new ApiRequest(ServiceRequestContext.of(request), request.headers(), new byte[0]));
    }

    private static RejectPages.Filter malformed() {
        return new RejectPages.Filter(false, null, null);
    }

    /** The lines on all pages. */
    private List<Integer> walk(int size, RejectPages.Filter filter) {
        List<Integer> found = new ArrayList<>();
        String token = "";
        do {
            JsonNode page = RejectPages.of(bundle, page(size, token), filter);
            assertTrue(page.path("rejects").size() <= size, page.toString());
            page.path("rejects").forEach(reject -> found.add(reject.path("line").asInt()));
            token = page.path("nextPageToken").asText();
        } while (!token.isEmpty());
        return found;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 1000})
    void pagesOfAnySizeHaveEachRejectOnce(int size) {
        assertEquals(List.of(1, 3, 4, 5), walk(size, malformed()));
    }

    @ParameterizedTest(name = "conflicts {0}, code {1}, column {2}: lines {3}")
    @CsvSource(
            nullValues = "any",
            value = {
                "false, any,    any, 1 3 4 5",
                "true,  any,    any, 2 6",
                "false, range,  any, 1 4 5",
                "false, range,  a,   1 5",
                "false, any,    '',  3",
                "false, syntax, a,   ''",
            })
    void filterTakesRejects(boolean conflicts, @Nullable String code, @Nullable String column, String lines) {
        List<Integer> found = walk(2, new RejectPages.Filter(conflicts, code, column));
        assertEquals(lines, String.join(" ", found.stream().map(String::valueOf).toList()));
    }

    @Test
    void groupsCountByCodeAndColumn() {
        JsonNode groups = RejectPages.groups(bundle, malformed());
        assertTrue(groups.path("complete").asBoolean());
        List<String> found = new ArrayList<>();
        groups.path("groups")
                .forEach(group -> found.add(group.path("code").asText() + " "
                        + group.path("column").asText() + " " + group.path("count") + ": "
                        + group.path("message").asText()));
        assertEquals(List.of("range a 2: reason 1", "syntax  1: reason 3", "range b 1: reason 4"), found);
    }

    /** A running job writes the list: its last line may not be whole. */
    @Test
    void lineThatIsBeingWrittenIsReturnedWhenItIsWhole() throws IOException {
        String last = line("range", "c", "");
        append(last.substring(0, 20));
        assertEquals(List.of(1, 3, 4, 5), walk(3, malformed()));
        append(last.substring(20));
        assertEquals(List.of(1, 3, 4, 5, 7), walk(3, malformed()));
    }

    @Test
    void missingBundleHasNoRejects() {
        Path missing = bundle.resolve("missing");
        assertEquals(
                "{\"rejects\":[]}",
                RejectPages.of(missing, page(10, ""), malformed()).toString());
        assertEquals(
                "{\"complete\":true,\"groups\":[]}",
                RejectPages.groups(missing, malformed()).toString());
    }

    /** Only the text that was rejected, from a file of the bundle, stands in a page. */
    @Test
    void recordIsShownIfItIsWhatWasRejected() throws IOException {
        byte[] record = "1,x,é\n".getBytes(StandardCharsets.UTF_8);
        Path outside = Files.createTempFile(bundle.toAbsolutePath().getParent(), "outside", ".csv");
        try {
            Files.write(outside, record);
            Files.write(bundle.resolve("data.csv"), record);
            CRC32 crc = new CRC32();
            crc.update(record);
            String place = ",\"offset\":0,\"length\":" + record.length + ",\"crc32\":";
            append(line("own", "", ",\"data\":\"data.csv\"" + place + crc.getValue()));
            append(line("repaired", "", ",\"data\":\"data.csv\"" + place + (crc.getValue() ^ 1)));
            append(line("outside", "", ",\"data\":\"../" + outside.getFileName() + "\"" + place + crc.getValue()));
            append(line("missing", "", ",\"data\":\"other.csv\"" + place + crc.getValue()));
            append(line("long", "", ",\"data\":\"data.csv\",\"offset\":0,\"length\":99999,\"crc32\":1"));
            for (String code : List.of("own", "repaired", "outside", "missing", "long")) {
                RejectPages.Filter filter = new RejectPages.Filter(false, code, null);
                JsonNode reject = RejectPages.of(bundle, page(10, ""), filter)
                        .path("rejects")
                        .path(0);
                assertEquals(code, reject.path("code").asText());
                assertEquals(
                        code.equals("own") ? "1,x,é\n" : "",
                        reject.path("record").asText(),
                        code);
            }
        } finally {
            Files.delete(outside);
        }
    }

    @Test
    void damagedListIsAnErrorWithoutNamesOfClasses() throws IOException {
        append("{\"line\": nothing}\n");
        OperationFailedException damaged = assertThrows(OperationFailedException.class, () -> walk(1000, malformed()));
        String message = String.valueOf(damaged.getMessage());
        assertTrue(message.startsWith("the list of rejects is damaged"), message);
        assertFalse(message.contains("jackson"), message);
    }

    /** The third token decodes to 5, which is within the first line. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "LTE", "NQ", "MA", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5"})
    void tokenThatNoPageHadIsRefused(String token) {
        BadInputException refused =
                assertThrows(BadInputException.class, () -> RejectPages.of(bundle, page(10, token), malformed()));
        assertEquals("pageToken: is not one that this service has given", refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1001", "many", "", "99999999999"})
    void sizeOutOfRangeIsRefused(String size) {
        BadInputException refused = assertThrows(BadInputException.class, () -> page(size, ""));
        assertEquals("pageSize " + size + ": must be a number from 1 to 1000", refused.getMessage());
    }
}
