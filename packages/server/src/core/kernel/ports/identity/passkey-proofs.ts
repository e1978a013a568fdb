import type { NewCredential, PasskeyAnswer } from '@offhook/contract/passkeys.ts'
import type { Passkey } from '../store/identity/second-factors.ts'

/** Where passkeys are used, as a browser sees it. */
export interface PasskeySite {
  /** The host name, to which passkeys belong. */
  name: string
  origin: string
}

export interface PasskeyQuestioned {
  site: PasskeySite
  /** What was to be signed. */
  challenge: string
}

/** Checks what browsers say of passkeys (WebAuthn Level 3). */
export interface PasskeyProofs {
  /** What is to be kept of a new one; undefined when something about it is wrong. */
  made(
    credential: NewCredential,
    questioned: PasskeyQuestioned,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> | undefined>
  /** The counter after a right answer; undefined when something about it is wrong, a counter that does not rise included. */
  answered(answer: PasskeyAnswer, passkey: Passkey, questioned: PasskeyQuestioned): Promise<number | undefined>
}
