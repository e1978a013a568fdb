import { Type, type Static, type TProperties } from 'typebox'
import { DisplayName, Input, Output, RequiredText, Timestamp } from './values.ts'

/** Bytes in WebAuthn's JSON encoding. */
const Base64Url = (maxLength: number) => Type.String({ minLength: 1, maxLength, description: 'base64url' })

const PublicKeyType = Type.Literal('public-key')

const KnownCredential = Output({ id: Type.String(), type: PublicKeyType, transports: Type.Array(Type.String()) })

/** Input of a browser's `PublicKeyCredential.parseCreationOptionsFromJSON`. */
const CreationOptions = Output({
  rp: Output({ id: Type.String(), name: Type.String() }),
  user: Output({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String(),
  pubKeyCredParams: Type.Array(Output({ alg: Type.Integer(), type: PublicKeyType })),
  timeout: Type.Integer({ description: 'Milliseconds' }),
  excludeCredentials: Type.Array(KnownCredential),
  authenticatorSelection: Output({ residentKey: Type.Literal('discouraged'), userVerification: Type.Literal('discouraged') }),
  attestation: Type.Literal('none'),
})

export const PasskeyOptions = Output({
  challenge: Type.String({ description: 'Belongs into the request that adds the passkey' }),
  passkey: CreationOptions,
})

/** Input of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const PasskeyQuestion = Output({
  rpId: Type.String(),
  challenge: Type.String(),
  timeout: Type.Integer({ description: 'Milliseconds' }),
  allowCredentials: Type.Array(KnownCredential),
  userVerification: Type.Literal('discouraged'),
})

export type PasskeyQuestion = Static<typeof PasskeyQuestion>

/** A browser's credential as serialised by `toJSON()`. Open: browsers add fields. */
const Credential = <R extends TProperties>(response: R) =>
  Type.Object({ id: Base64Url(1400), rawId: Base64Url(1400), type: PublicKeyType, response: Type.Object(response) })

export const PasskeyAnswer = Credential({
  clientDataJSON: Base64Url(8000),
  authenticatorData: Base64Url(8000),
  signature: Base64Url(8000),
})

export type PasskeyAnswer = Static<typeof PasskeyAnswer>

const Transports = Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 }))

const NewCredential = Credential({ clientDataJSON: Base64Url(8000), attestationObject: Base64Url(16_000), transports: Transports })

export type NewCredential = Static<typeof NewCredential>

export const NewPasskey = Input({
  name: DisplayName,
  challenge: RequiredText(4000),
  passkey: NewCredential,
})

const passkey = {
  id: Type.String(),
  name: Type.String(),
  host: Type.String({ description: 'The only one at which it works' }),
  createdAt: Timestamp,
  lastUsedAt: Type.Optional(Timestamp),
}

export const Passkey = Output(passkey)

export const AddedPasskey = Output({
  ...passkey,
  recoveryCodes: Type.Array(Type.String(), { description: 'With the first second factor: each works once; shown only now' }),
})
