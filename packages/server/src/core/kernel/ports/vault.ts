/** Keeps secrets that we must be able to read again (SIP passwords, signing keys) unreadable in the database. */
export interface Vault {
  seal(plain: string): string
  /** Throws when the text was not sealed by this vault or has been changed. */
  open(sealed: string): string
  /** 32 secret bytes for one purpose: the same in every process with this vault's key, and useless for any other purpose. */
  derive(purpose: string): Uint8Array
}
