import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { FragmentKey, Fragments } from '#core/kernel/ports/store/message/messages.ts'

export interface IncomingPart extends FragmentKey {
  number: number
  text: string
}

/** In place of one or more parts that never came. */
const gap = '[…]'

/** How long after the last part of a message one of its parts may be repeated, because our response got lost. */
export const repetitionMs = 10 * 60_000

/**
 * Keeps a part of a long message until the others are there; gives the texts that are complete now. References come round again: other
 * words under the same number begin another message, and of the old one there will never be more.
 */
export const collectPart = async (tables: Tables, { number, text, ...key }: IncomingPart, at: number): Promise<string[]> => {
  const known = current(await tables.messages.lockFragments(key, at), at)
  const earlier = known.parts[number]
  const another = earlier !== undefined && earlier !== text
  if (known.doneAt !== undefined && !another) return []
  const parts = another ? { [number]: text } : { ...known.parts, [number]: text }
  const complete = Object.keys(parts).length >= key.total
  await tables.messages.setFragments(key, { parts, doneAt: complete ? at : undefined })
  const given = another && known.doneAt === undefined ? [joined(known.parts, key.total)] : []
  return complete ? [...given, joined(parts, key.total)] : given
}

/** One that was complete long ago has nothing to do with what comes now. */
const current = (known: Fragments, at: number): Fragments =>
  known.doneAt !== undefined && known.doneAt < at - repetitionMs ? { parts: {}, doneAt: undefined } : known

export const joined = (parts: Readonly<Record<number, string>>, total: number): string =>
  Array.from({ length: total }, (_, index) => parts[index + 1] ?? (index === 0 || index in parts ? gap : '')).join('')
