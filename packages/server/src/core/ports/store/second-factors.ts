export interface Totp {
  secretSealed: string
  /** Whether the person has shown a code; until then it is of no consequence. */
  confirmed: boolean
}

/** By the subject of somebody's tokens, which belongs to one user of one account, or to one operator. */
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
  /** False when there was nothing. */
  removeAll(subject: string): Promise<boolean>
}
