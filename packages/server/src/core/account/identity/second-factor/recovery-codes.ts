import { createHmac, randomInt } from 'node:crypto'
import type { Vault } from '#core/kernel/ports/vault.ts'

const count = 10
const length = 10
/** Nothing that looks like something else on paper. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

/** Two times five characters, which are easier to copy. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => {
    const code = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
    return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
  })

/** Codes are short, so a plain hash could be brute-forced with a copy of the database; this one needs the vault's key as well. */
export const recoveryHash = (vault: Vault, subject: string, code: string): string =>
  createHmac('sha256', vault.derive('recovery codes'))
    .update(`${subject}\n${code.toLowerCase().replaceAll(/[\s-]/g, '')}`)
    .digest('base64url')
