package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.model.error.BadInputException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client cannot make the node read from an address that the operator did not name. */
class SstSourcesTest {
    private static final SstSources SOURCES =
            SstSources.below(List.of("https://Store.example/sets/", "http://127.0.0.1:9000/b/"));

    @ParameterizedTest
    @CsvSource({
        "https://store.example/sets/a.sst?X-Amz-Signature=1, true",
        "HTTPS://STORE.EXAMPLE:443/sets/x/a.sst, true",
        "http://127.0.0.1:9000/b/a%20b.sst, true",
        "https://store.example/sets, false",
        "https://store.example/setsx/a.sst, false",
        "http://store.example/sets/a.sst, false",
        "https://store.example:444/sets/a.sst, false",
        "https://store.example.evil/sets/a.sst, false",
        "https://user@store.example/sets/a.sst, false",
        "https://store.example@evil/sets/a.sst, false",
        "https://store.example/sets/../private/a.sst, false",
        "https://store.example/sets/%2E%2e/private/a.sst, false",
        "https://store.example/sets/..%2fprivate/a.sst, false",
        "https://store.example/sets/%252e%252e/a.sst, false",
        "https://store.example/sets/..;x/a.sst, false",
        "http://127.0.0.1:9001/b/a.sst, false",
        "http://169.254.169.254/latest/meta-data, false",
        "file:///etc/passwd, false",
        "not an address, false"
    })
    void onlyAddressesBelowARootAreAllowed(String address, boolean allowed) {
        assertEquals(allowed, SOURCES.allow(SstSources.parsed(address)));
        assertEquals(false, SstSources.NONE.allow(SstSources.parsed(address)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://store.example/sets",
                "https://store.example",
                "s3://bucket/",
                "https://me:secret@store.example/",
                "https://store.example/?x=/",
                "store.example/"
            })
    void rootsThatWouldAllowMoreThanTheySayAreRefused(String root) {
        String message = String.valueOf(assertThrows(BadInputException.class, () -> SstSources.below(List.of(root)))
                .getMessage());
        assertEquals(false, message.contains("secret"), message);
    }

    @Test
    void shownAddressHasNoSignature() {
        assertEquals(
                "https://store.example/sets/a.sst",
                SstSources.shown(URI.create("https://store.example/sets/a.sst?X-Amz-Signature=1")));
    }
}
