import { randomCharacters } from '#core/account/identity/tokens/tokens.ts'
import type { Passwords } from '#core/kernel/ports/identity/passwords.ts'

export interface NewPassword {
  password: string
  hash: string
}

/** Hashing is slow on purpose, so it is over before the transaction begins. */
export const newPassword = async (passwords: Passwords): Promise<NewPassword> => {
  const password = randomCharacters(20)
  return { password, hash: await passwords.hash(password) }
}
