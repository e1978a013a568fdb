import type { Tables } from '../ports/store/index.ts'
import type { FragmentKey } from '../ports/store/messages.ts'

export interface IncomingPart extends FragmentKey {
  number: number
  text: string
}

/** In place of parts that never came. */
const gap = '[…]'

/**
 * Keeps a part of a long message until the others are there; gives the texts that are complete now. References come round again: other
 * words under the same number begin another message, and of the old one there will never be more.
 */
export const collectPart = async (tables: Tables, { number, text, ...key }: IncomingPart, at: number): Promise<string[]> => {
  const known = await tables.messages.lockFragments(key, at)
  const earlier = known[number]
  const another = earlier !== undefined && earlier !== text
  const parts = another ? { [number]: text } : { ...known, [number]: text }
  const complete = Object.keys(parts).length >= key.total
  if (complete) await tables.messages.removeFragments(key)
  else await tables.messages.setFragments(key, parts)
  return [...(another ? [joined(known, key.total)] : []), ...(complete ? [joined(parts, key.total)] : [])]
}

export const joined = (parts: Readonly<Record<number, string>>, total: number): string =>
  Array.from({ length: total }, (_, index) => parts[index + 1] ?? gap).join('')
