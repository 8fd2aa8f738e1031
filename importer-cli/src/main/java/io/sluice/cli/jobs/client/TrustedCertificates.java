package io.sluice.cli.jobs.client;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates of a file as all that is trusted. */
final class TrustedCertificates {
    private TrustedCertificates() {}

    /**
     * TLS that trusts the certificates of a PEM file and no others.
     *
     * @throws BadInputException when the file cannot be read or has no certificate
     */
    static SSLContext of(Path file) {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("trusted-" + trusted.size(), each);
            }
            if (trusted.size() == 0) {
                throw new BadInputException("--tls-trust " + file + ": has no certificate; it must be PEM");
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (IOException e) {
            throw new BadInputException("--tls-trust: cannot read " + file + ": " + Reasons.ofFile(file, e), e);
        } catch (GeneralSecurityException e) {
            throw new BadInputException("--tls-trust " + file + ": is no certificate in PEM: " + e.getMessage(), e);
        }
    }
}
