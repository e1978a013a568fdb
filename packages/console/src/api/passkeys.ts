import type { NewCredential, PasskeyAnswer, PasskeyQuestion } from '@offhook/contract/passkeys.ts'
import type { Client } from './client.ts'

type CreationOptions = Awaited<ReturnType<Client['beginPasskey']>>['passkey']

/** Browsers have them at host names, and only over https or on this machine. */
export const passkeysPossible = (): boolean => {
  const isAddress = /^\[|^[\d.]+$/.test(location.hostname)
  return !isAddress && 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential
}

/** Where the same page has them, if this is the address of this machine. */
export const passkeyAddress = (): string | undefined => {
  if (!['127.0.0.1', '[::1]'].includes(location.hostname)) return undefined
  const url = new URL(location.href)
  url.hostname = 'localhost'
  return url.href
}

/** `otherwise` is what people are told when the browser gives none, whose own words are not for them. */
export const makePasskey = async (options: CreationOptions, otherwise: string): Promise<NewCredential> => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return toJson<NewCredential>(await orThrow(navigator.credentials.create({ publicKey }), otherwise))
}

export const showPasskey = async (question: PasskeyQuestion, otherwise: string): Promise<PasskeyAnswer> => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(question)
  return toJson<PasskeyAnswer>(await orThrow(navigator.credentials.get({ publicKey }), otherwise))
}

const orThrow = async (asked: Promise<Credential | null>, otherwise: string): Promise<PublicKeyCredential> => {
  const credential = await asked.catch(() => null)
  if (!(credential instanceof PublicKeyCredential)) throw new Error(otherwise)
  return credential
}

/** What browsers write is as WebAuthn has it; the service checks it. */
const toJson = <T>(credential: PublicKeyCredential): T => credential.toJSON() as T
