import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { hashedName } from './attempt-limits.ts'

export interface MarkParts {
  vault: Vault
  clock: Clock
}

/** Seconds since the last login. */
export const markLifetime = 180 * 24 * 60 * 60
/** One for each name that logs in with the same browser: families, an owner who is the operator as well. */
const most = 5
/** An id, seconds since 1970, and a signature; who it is for is only in the signature. */
const form = /^([\w-]{22})\.([1-9]\d{9,10})\.([\w-]{43})$/

/** The id of a browser in which this name has logged in before, by the marks that it brought. It is good for that name alone. */
export const knownBrowser = (parts: MarkParts, marks: string, name: string): string | undefined =>
  split(marks)
    .map((mark) => idOf(parts, mark, name))
    .find((id) => id !== undefined)

/** The marks that the browser brings from now on, because this name has just logged in with it. */
export const markBrowser = (parts: MarkParts, marks: string, name: string): string => {
  const id = knownBrowser(parts, marks, name) ?? randomBytes(16).toString('base64url')
  const others = split(marks).filter((mark) => idOf(parts, mark, name) === undefined)
  const expires = String(Math.floor(parts.clock.now() / 1000) + markLifetime)
  const mark = [id, expires, sign(parts, id, expires, name)].join('.')
  return [mark, ...others].slice(0, most).join('~')
}

const split = (marks: string): string[] =>
  marks
    .split('~', most)
    .map((mark) => mark.slice(0, 100))
    .filter((mark) => form.test(mark))

const idOf = (parts: MarkParts, mark: string, name: string): string | undefined => {
  const [, id = '', expires = '', signature = ''] = form.exec(mark) ?? []
  if (Number(expires) * 1000 <= parts.clock.now()) return undefined
  return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(parts, id, expires, name))) ? id : undefined
}

const sign = ({ vault }: MarkParts, id: string, expires: string, name: string): string =>
  createHmac('sha256', vault.derive('known browsers'))
    .update([id, expires, hashedName(name)].join('\n'))
    .digest('base64url')
