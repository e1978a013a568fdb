import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '@offhook/contract/problem.ts'

/** From this many characters on a body is read in pieces, so that other requests and calls come in between. */
export const large = 256 * 1024
const piece = 1024 * 1024

export const parseJson = (text: string): unknown => {
  if (text.trim() === '') return undefined
  const value = parsed(text)
  // Only a text that spells these can hold them, so the walk is rarely taken.
  if (/\\u0000|__proto__|\0/.test(text)) refuseDangerous(value, 0)
  return value
}

/**
 * The same for an upload, which is one very long string with little around it: such strings are looked through piece by piece, and put back into what
 * was made of the rest. No piece takes longer than a few milliseconds.
 */
export const parseLargeJson = async (text: string): Promise<unknown> => {
  const strings = longStrings(text)
  if (strings.length === 0) return parseJson(text)
  for (const { from, to } of strings) if (!(await isPlain(text, from, to))) return parseJson(text)
  const mark = randomUUID()
  const stand = new Map(strings.map(({ from, to }, index) => [`${mark}-${index}`, text.slice(from, to)]))
  const short = strings.map(({ from }, index) => text.slice(strings[index - 1]?.to ?? 0, from) + `${mark}-${index}`)
  const value = parseJson(short.join('') + text.slice(strings.at(-1)?.to ?? 0))
  return putBack(value, stand, 0)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('invalid_json')
  }
}

interface Span {
  from: number
  to: number
}

/** What stands between quotes and is long; one that contains a backslash is not plain, whatever it ends with. */
const longStrings = (text: string): Span[] => {
  const found: Span[] = []
  for (let start = text.indexOf('"'); start >= 0;) {
    let end = text.indexOf('"', start + 1)
    while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
    if (end < 0) return found // no JSON: to be said by the parser
    if (end - start > large) found.push({ from: start + 1, to: end })
    start = text.indexOf('"', end + 1)
  }
  return found
}

const isEscaped = (text: string, at: number): boolean => {
  let before = at
  while (text[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}

/** Nothing in it means anything but itself. */
const isPlain = async (text: string, from: number, to: number): Promise<boolean> => {
  for (let at = from; at < to; at += piece) {
    // oxlint-disable-next-line no-control-regex -- JSON does not allow them in strings
    if (/[\0-\x1f\\]/.test(text.slice(at, Math.min(at + piece, to)))) return false
    await nextTurn()
  }
  return true
}

const putBack = (value: unknown, stand: ReadonlyMap<string, string>, depth: number): unknown => {
  refuseDepth(depth)
  if (typeof value === 'string') return stand.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => putBack(one, stand, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [stand.get(name) ?? name, putBack(one, stand, depth + 1)]))
}

/** Walking deeper would run out of stack. */
const refuseDepth = (depth: number): void => {
  if (depth > 100) throw new Problem('parameter_invalid', 'The body is nested too deeply.')
}

/** PostgreSQL cannot store a NUL, and `__proto__` is only sent as an attack. */
const refuseDangerous = (value: unknown, depth: number): void => {
  refuseDepth(depth)
  if (typeof value === 'string' && value.includes('\0')) throw new Problem('parameter_invalid', 'A string contains a NUL character.')
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__' || key.includes('\0')) throw new Problem('parameter_invalid', 'A field name is not allowed.')
    refuseDangerous(inner, depth + 1)
  }
}
