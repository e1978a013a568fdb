/** PEM. */
interface KeyPair {
  cert: string
  key: string
}

/** TLS server certificate. */
export interface Certificate extends KeyPair {
  /** `use` receives each renewed certificate: open connections stay, new ones get it. */
  onRenewed?: (use: (renewed: KeyPair) => void) => void
}

/** Expiry of a certificate used by this process. */
export interface CertificateExpiry {
  /** Purpose of the certificate. */
  name: string
  /** Milliseconds since the epoch. */
  notAfter: number
}
