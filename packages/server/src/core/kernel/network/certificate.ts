/** PEM. */
export interface KeyPair {
  cert: string
  key: string
}

/** What a server shows. */
export interface Certificate extends KeyPair {
  /** `use` gets the next one whenever it was renewed: connections that are open stay, new ones see it. */
  onRenewed?: (use: (renewed: KeyPair) => void) => void
}

/** Until when a certificate of this process is good. */
export interface CertificateExpiry {
  /** What it is for. */
  name: string
  /** Milliseconds since the epoch. */
  notAfter: number
}
