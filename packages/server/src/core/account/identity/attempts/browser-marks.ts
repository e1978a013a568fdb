import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { hashedName } from './attempt-limits.ts'

export interface MarkDeps {
  vault: Vault
  clock: Clock
}

/** Seconds since the last login. */
export const markLifetime = 180 * 24 * 60 * 60
/** One for each name that logs in with the same browser: families, an owner who is the operator as well. */
const max = 5
/** An id, seconds since 1970, and a signature; who it is for is only in the signature. */
const form = /^([\w-]{22})\.([1-9]\d{9,10})\.([\w-]{43})$/

/** The id of a browser in which this name has logged in before, by the marks that it brought. It is good for that name alone. */
export const knownBrowser = (deps: MarkDeps, marks: string, name: string): string | undefined =>
  split(marks)
    .map((mark) => idOf(deps, mark, name))
    .find((id) => id !== undefined)

/** The marks that the browser brings from now on, because this name has just logged in with it. */
export const markBrowser = (deps: MarkDeps, marks: string, name: string): string => {
  const id = knownBrowser(deps, marks, name) ?? randomBytes(16).toString('base64url')
  const others = split(marks).filter((mark) => idOf(deps, mark, name) === undefined)
  const expires = String(Math.floor(deps.clock.now() / 1000) + markLifetime)
  const mark = [id, expires, sign(deps, id, expires, name)].join('.')
  return [mark, ...others].slice(0, max).join('~')
}

const split = (marks: string): string[] =>
  marks
    .split('~', max)
    .map((mark) => mark.slice(0, 100))
    .filter((mark) => form.test(mark))

const idOf = (deps: MarkDeps, mark: string, name: string): string | undefined => {
  const [, id = '', expires = '', signature = ''] = form.exec(mark) ?? []
  if (Number(expires) * 1000 <= deps.clock.now()) return undefined
  return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(deps, id, expires, name))) ? id : undefined
}

const sign = ({ vault }: MarkDeps, id: string, expires: string, name: string): string =>
  createHmac('sha256', vault.derive('known browsers'))
    .update([id, expires, hashedName(name)].join('\n'))
    .digest('base64url')
