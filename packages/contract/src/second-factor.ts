import { Type, type Static } from 'typebox'
import { PasskeyAnswer, type PasskeyQuestion } from './passkeys.ts'
import { Input, OneOf, Output, RequiredText } from './values.ts'

export const secondFactorMethods = ['TOTP', 'PASSKEY', 'RECOVERY_CODE'] as const

export type SecondFactorMethod = (typeof secondFactorMethods)[number]

/** Second-factor challenge of a login; part of the error `second_factor_required`. */
export interface LoginChallenge {
  challenge: string
  methods: SecondFactorMethod[]
  /** If PASSKEY is among the methods. */
  passkey?: PasskeyQuestion
}

/** Additional fields of the second login request. */
export const secondFactorAnswer = {
  challenge: Type.Optional(Type.String({ maxLength: 4000, description: 'From the error second_factor_required' })),
  code: Type.Optional(Type.String({ maxLength: 64, description: 'Six digits of an authenticator app, or a recovery code' })),
  passkey: Type.Optional(PasskeyAnswer),
}

export type SecondFactorAnswer = Static<Type.TObject<typeof secondFactorAnswer>>

/** Reply of a login. */
export const LoginReply = Output({
  token: Type.String(),
  secondFactorMissing: Type.Optional(
    Type.Literal(true, { description: 'A second factor is demanded: until one is set up, the token is good for nothing else' }),
  ),
})

export const SecondFactor = Output({
  methods: Type.Array(OneOf(secondFactorMethods)),
  recoveryCodes: Type.Integer({ description: 'How many are left' }),
  demanded: Type.Boolean({ description: 'Nobody logs in without one' }),
})

export const NewTotp = Output({
  secret: Type.String({ description: 'Base32, for apps that cannot read a QR code' }),
  uri: Type.String({ description: 'otpauth://, for a QR code' }),
})

export const TotpCode = Input({ code: RequiredText(16) })

export const RecoveryCodes = Output({
  recoveryCodes: Type.Array(Type.String(), { description: 'Each works once; shown only now. None where there was a second factor before' }),
})

export const Demand = Input({ demanded: Type.Boolean() })
