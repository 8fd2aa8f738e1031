package io.sluice.http;

import io.sluice.model.error.BadInputException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The listen address of a server and its access control.
 *
 * @param listen address and port; port 0: any free port
 * @param tokens tokens of which every request must carry one; null: none, only on a loopback address
 * @param tls certificate of the server; null: no TLS, only on a loopback address
 */
public record HttpSettings(
        InetSocketAddress listen,
        @Nullable Tokens tokens,
        @Nullable TlsFiles tls) {
    /**
     * The PEM files of a certificate and its key.
     *
     * @param certificate the certificate chain
     * @param key the private key, unencrypted PKCS #8
     */
    public record TlsFiles(Path certificate, Path key) {}

    /**
     * Checks that a server on a network has both TLS and a token.
     *
     * @throws BadInputException if the address is not a loopback address and TLS or the token is missing, or the
     *     address cannot be resolved
     */
    public HttpSettings {
        if (listen.isUnresolved()) {
            throw new BadInputException("listen: no address is known for " + listen.getHostString());
        }
        if (!listen.getAddress().isLoopbackAddress() && (tokens == null || tls == null)) {
            throw new BadInputException("listen: " + listen.getHostString()
                    + " is not a loopback address, and others can reach it: give a token (--token-file or SLUICE_TOKEN)"
                    + " and TLS (--tls-cert and --tls-key), or listen on 127.0.0.1");
        }
    }
}
