package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.client.RemoteSettings;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate for the servers of a test, and a token for their clients.
 *
 * @param certificate a certificate that signed itself; all servers have it
 * @param key its private key
 * @param token a token for everything
 */
public record Credentials(Path certificate, Path key, Path token) {
    /** The text of the token. */
    public static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private static final String PASSWORD = "changeit";

    /**
     * Makes the files, by the JDK's keytool, which stores a certificate in its own format.
     *
     * @param hosts addresses of the servers
     */
    public static Credentials make(Path directory, List<String> hosts) throws Exception {
        Path store = directory.resolve("node.p12");
        String names = hosts.stream().map(host -> "IP:" + host).collect(Collectors.joining(","));
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "node",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=node",
                        "-ext",
                        "SAN=" + names,
                        // Clocks of tests may be behind.
                        "-startdate",
                        "-1d",
                        "-validity",
                        "3",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.out").toFile())
                .start();
        assertEquals(0, keytool.waitFor(), () -> "keytool failed, see its output in " + directory);
        KeyStore made = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            made.load(in, PASSWORD.toCharArray());
        }
        return new Credentials(
                pem(directory, "CERTIFICATE", made.getCertificate("node").getEncoded()),
                pem(
                        directory,
                        "PRIVATE KEY",
                        made.getKey("node", PASSWORD.toCharArray()).getEncoded()),
                Files.writeString(directory.resolve("token"), TOKEN + "\n"));
    }

    private static Path pem(Path directory, String what, byte[] der) throws Exception {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return Files.writeString(
                directory.resolve(what.replace(' ', '-') + ".pem"),
                "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n",
                StandardCharsets.US_ASCII);
    }

    /** A context that trusts the certificate. */
    public SSLContext tls() throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            trusted.setCertificateEntry(
                    "node", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** Options of a server. */
    public List<String> ofServer() {
        return List.of(
                "--token-file", token.toString(), "--tls-cert", certificate.toString(), "--tls-key", key.toString());
    }

    /** Options of a node of a cluster. */
    public List<String> ofMember() {
        List<String> options = new ArrayList<>(ofServer());
        options.addAll(List.of("--peer-trust", certificate.toString()));
        return options;
    }

    /** Options of a command. */
    public List<String> ofClient() {
        return List.of("--tls-trust", certificate.toString(), "--token-file", token.toString());
    }

    /** Settings of a client. */
    public RemoteSettings ofClient(String address) {
        return RemoteSettings.of(address).withToken(TOKEN).withTrusted(certificate);
    }
}
