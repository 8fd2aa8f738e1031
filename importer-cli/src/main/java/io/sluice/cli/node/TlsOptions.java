package io.sluice.cli.node;

import io.sluice.http.HttpSettings;
import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The certificate of a server: options of every command that listens. */
public final class TlsOptions {
    @Option(names = "--tls-cert", paramLabel = "FILE", description = "Certificate chain in PEM.")
    @Nullable
    Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "Private key of the certificate in PEM, PKCS #8, not encrypted.")
    @Nullable
    Path key;

    /**
     * The files, or null for none.
     *
     * @throws BadInputException when one is given without the other
     */
    public HttpSettings.@Nullable TlsFiles files() {
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            throw new BadInputException("--tls-cert and --tls-key go together; give both or neither");
        }
        return new HttpSettings.TlsFiles(certificate, key);
    }
}
