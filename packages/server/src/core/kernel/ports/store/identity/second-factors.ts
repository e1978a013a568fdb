export interface Totp {
  secretSealed: string
  /** Whether the person has shown a code; until then it is of no consequence. */
  confirmed: boolean
}

export interface Passkey {
  id: string
  /** The host name at which it was made; browsers use it nowhere else. */
  site: string
  credentialId: string
  /** COSE, base64url. */
  publicKey: string
  /** Of signatures, where the authenticator counts them. */
  counter: number
  transports: readonly string[]
  name: string
  createdAt: number
  lastUsedAt: number | undefined
}

/** By the subject of tokens, which belongs to one user of one account, or to one operator. */
export interface SecondFactors {
  findTotp(subject: string): Promise<Totp | undefined>
  /** In the place of one that was begun but never confirmed. */
  beginTotp(subject: string, secretSealed: string, at: number): Promise<void>
  /** False when there is none to confirm. The code with this counter is used up by it. */
  confirmTotp(subject: string, counter: number, at: number): Promise<boolean>
  /** True for exactly one of several callers, and never again for this counter or an older one. */
  spendTotp(subject: string, counter: number): Promise<boolean>
  /** In the place of all earlier ones. */
  setRecoveryCodes(subject: string, hashes: readonly string[]): Promise<void>
  /** Those that were not used yet. */
  countRecoveryCodes(subject: string): Promise<number>
  /** True for exactly one of several callers. */
  spendRecoveryCode(subject: string, hash: string, at: number): Promise<boolean>
  removeTotp(subject: string): Promise<boolean>
  listPasskeys(subject: string): Promise<Passkey[]>
  /** False when the credential is registered already. */
  insertPasskey(subject: string, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<boolean>
  /** False when a use with this counter, or a later one, is known: then there are two of them. Zero is of those that do not count. */
  notePasskeyUse(subject: string, id: string, use: { counter: number; at: number }): Promise<boolean>
  removePasskey(subject: string, id: string): Promise<boolean>
  /** True for exactly one of several callers. Those that have expired are forgotten. */
  spendChallenge(hash: string, at: number, expiresAt: number): Promise<boolean>
  /** False when there was nothing. */
  removeAll(subject: string): Promise<boolean>
}
