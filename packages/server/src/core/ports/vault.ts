/** Keeps secrets that we must be able to read again (SIP passwords, signing keys) unreadable in the database. */
export interface Vault {
  seal(plain: string): string
  /** Throws when the text was not sealed by this vault or has been changed. */
  open(sealed: string): string
}
