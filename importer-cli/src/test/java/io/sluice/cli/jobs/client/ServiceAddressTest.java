package io.sluice.cli.jobs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.model.error.BadInputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceAddressTest {
    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8080, http://127.0.0.1:8080",
        "http://127.0.0.1:8080/, http://127.0.0.1:8080",
        "localhost:9, http://localhost:9",
        "HTTPS://importer.example, https://importer.example",
        "http://[::1]:8080, http://[::1]:8080"
    })
    void addressesAsPeopleWriteThem(String written, String meant) {
        assertEquals(meant, ServiceAddress.of(written, null, null).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ftp://host:1",
                "http://",
                "http://host/v1",
                "http://host:1?x=y",
                "http://a:secret@host:1",
                "ho st"
            })
    void othersAreRefusedAndNotRepeated(String written) {
        BadInputException e = assertThrows(BadInputException.class, () -> ServiceAddress.of(written, null, null));
        assertFalse(String.valueOf(e.getMessage()).contains("secret"), e.getMessage());
    }

    @Test
    void aTokenIsNotSentOverANetworkWithoutTls() {
        assertThrows(BadInputException.class, () -> ServiceAddress.of("http://h:1", "secret", null));
        assertEquals(
                "http://127.0.0.1:1",
                ServiceAddress.of("127.0.0.1:1", "secret", null).toString());
    }

    @Test
    void theTokenIsNotPrinted() {
        assertFalse(ServiceAddress.of("https://h:1", "secret", null).toString().contains("secret"));
    }
}
