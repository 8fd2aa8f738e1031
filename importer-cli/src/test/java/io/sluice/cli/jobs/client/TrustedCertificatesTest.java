package io.sluice.cli.jobs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.sluice.model.error.BadInputException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a server with a self-signed certificate, and clients that trust it or not. */
@SuppressWarnings("NullAway.Init") // made before all tests
class TrustedCertificatesTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    static Path directory;

    private static HttpsServer server;
    private static Path certificate;

    @BeforeAll
    static void start() throws Exception {
        Path store = directory.resolve("server.p12");
        certificate = directory.resolve("server.pem");
        keytool(store, "-genkeypair", "-keyalg", "EC", "-dname", "CN=server", "-ext", "SAN=IP:127.0.0.1");
        keytool(store, "-exportcert", "-rfc", "-file", certificate.toString());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        byte[] body = "{\"jobId\":\"j\",\"state\":\"running\"}".getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    private static void keytool(Path store, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", "server", "-storetype", "PKCS12", "-keystore", store.toString()));
        command.addAll(List.of("-storepass", PASSWORD));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.out").toFile())
                .start();
        assertEquals(0, process.waitFor(), () -> "keytool failed, see its output in " + directory);
    }

    @AfterAll
    static void end() {
        server.stop(0);
    }

    private static ServiceClient client(@Nullable Path trusted) {
        String address = "https://127.0.0.1:" + server.getAddress().getPort();
        return new ServiceClient(ServiceAddress.of(address, null, trusted));
    }

    @Test
    void aCertificateOfTheFileIsTrusted() {
        assertEquals("j", client(certificate).job("j").id());
    }

    @Test
    void othersAreNot() {
        BadInputException e =
                assertThrows(BadInputException.class, () -> client(null).job("j"));
        assertTrue(String.valueOf(e.getMessage()).contains("--tls-trust"), e.getMessage());
    }

    @Test
    void aFileWithoutACertificateIsNamed() throws Exception {
        for (String content : List.of("", "no certificate")) {
            Path file = Files.writeString(directory.resolve("none.pem"), content);
            BadInputException e = assertThrows(BadInputException.class, () -> client(file));
            assertTrue(String.valueOf(e.getMessage()).contains("none.pem"), e.getMessage());
        }
        assertThrows(BadInputException.class, () -> client(directory.resolve("missing.pem")));
    }
}
