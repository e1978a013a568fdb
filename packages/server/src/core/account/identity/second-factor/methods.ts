import type { SecondFactorMethod } from '@offhook/contract/second-factor.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** What a person can show besides the password; nothing when they have no second factor. Recovery codes alone are none. */
export const methodsOf = async ({ secondFactors }: Tables, subject: string): Promise<SecondFactorMethod[]> => {
  const methods: SecondFactorMethod[] = []
  if ((await secondFactors.findTotp(subject))?.confirmed) methods.push('TOTP')
  if ((await secondFactors.listPasskeys(subject)).length > 0) methods.push('PASSKEY')
  if (methods.length > 0 && (await secondFactors.countRecoveryCodes(subject)) > 0) methods.push('RECOVERY_CODE')
  return methods
}

export const hasSecondFactor = async (tables: Tables, subject: string): Promise<boolean> => (await methodsOf(tables, subject)).length > 0
