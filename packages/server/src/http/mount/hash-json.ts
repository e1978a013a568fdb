import { createHash, randomUUID, type Hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { large } from './parse-json.ts'

const piece = 1024 * 1024

/**
 * SHA-256 of what JSON.stringify makes of a value. Very long strings of it, which are uploads, are written and hashed piece by piece, so that calls and
 * other requests come in between.
 */
export const hashJson = async (value: unknown): Promise<string> => {
  const mark = randomUUID()
  const long: string[] = []
  const short = JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'string' && one.length > large ? `${mark}-${long.push(one) - 1}-` : one,
  )
  const hash = createHash('sha256')
  const [first = '', ...rest] = short.split(new RegExp(`${mark}-\\d+-`))
  hash.update(first)
  for (const [index, text] of rest.entries()) {
    await hashString(hash, long[index] ?? '')
    hash.update(text)
  }
  return hash.digest('hex')
}

const hashString = async (hash: Hash, text: string): Promise<void> => {
  for (let from = 0; from < text.length;) {
    const to = isSplitPair(text, from + piece) ? from + piece + 1 : from + piece
    hash.update(JSON.stringify(text.slice(from, to)).slice(1, -1))
    from = to
    await nextTurn()
  }
}

/** Half a character would be written as a number. */
const isSplitPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff
