import type { NewCredential, PasskeyAnswer, PasskeyQuestion } from '@offhook/contract/passkeys.ts'
import type { Client } from './client.ts'

type CreationOptions = Awaited<ReturnType<Client['beginPasskey']>>['passkey']

/** Browsers support passkeys only at host names, and only over https or on this machine. */
export const passkeysPossible = (): boolean => {
  const isAddress = /^\[|^[\d.]+$/.test(location.hostname)
  return !isAddress && 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential
}

/** Address of the same page that supports passkeys, if this is a loopback address. */
export const passkeyAddress = (): string | undefined => {
  if (!['127.0.0.1', '[::1]'].includes(location.hostname)) return undefined
  const url = new URL(location.href)
  url.hostname = 'localhost'
  return url.href
}

/** `otherwise` is the error text if the browser fails: its own messages are not for users. */
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

/** Browsers write WebAuthn's format; the service validates it. */
const toJson = <T>(credential: PublicKeyCredential): T => credential.toJSON() as T
