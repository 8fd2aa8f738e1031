package io.sluice.http;

import io.sluice.api.error.BadInputException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a server listens, and whom it lets in.
 *
 * @param listen address and port; port 0: any that is free
 * @param token what every request must carry; null: none, on loopback only
 * @param tls the server's certificate; null: no TLS, on loopback only
 */
public record HttpSettings(
        InetSocketAddress listen,
        @Nullable BearerToken token,
        @Nullable TlsFiles tls) {
    /**
     * A certificate and its key, as PEM.
     *
     * @param certificate the certificate, and those that vouch for it
     * @param key the private key, PKCS #8, not encrypted
     */
    public record TlsFiles(Path certificate, Path key) {}

    /**
     * Checks that nobody listens to a network unprotected.
     *
     * @throws BadInputException when the address is not a loopback's and TLS or the token is missing, or the address is
     *     not known
     */
    public HttpSettings {
        if (listen.isUnresolved()) {
            throw new BadInputException("listen: no address is known for " + listen.getHostString());
        }
        if (!listen.getAddress().isLoopbackAddress() && (token == null || tls == null)) {
            throw new BadInputException("listen: " + listen.getHostString()
                    + " is not a loopback address, and others can reach it: give a token (--token-file or SLUICE_TOKEN)"
                    + " and TLS (--tls-cert and --tls-key), or listen on 127.0.0.1");
        }
    }
}
