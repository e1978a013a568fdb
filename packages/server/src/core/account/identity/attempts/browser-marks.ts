import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import { hashedName } from './attempt-limits.ts'

export interface MarkDeps {
  vault: Vault
  clock: Clock
}

/** Seconds after the last login. */
export const markLifetime = 180 * 24 * 60 * 60
/** Maximum names per browser: families, an owner who is also the operator. */
const max = 5
/** An id, seconds since 1970, and a signature; the name is only part of the signature. */
const form = /^([\w-]{22})\.([1-9]\d{9,10})\.([\w-]{43})$/

/** Id of a browser in which this name has logged in before, by its marks. Valid for that name only. */
export const knownBrowser = (deps: MarkDeps, marks: string, name: string): string | undefined =>
  split(marks)
    .map((mark) => idOf(deps, mark, name))
    .find((id) => id !== undefined)

/** Marks for the browser's cookie after a login of this name. */
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
