import { totpCode } from '#core/account/identity/second-factor/totp.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Code that an authenticator app shows for this secret. */
export const codeOf = (secret: string, now: number): string => {
  const bits = secret
    .split('')
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Uint8Array.from(bits.match(/.{8}/g) ?? [], (eight) => Number.parseInt(eight, 2))
  return totpCode(key, Math.floor(now / 30_000))
}
