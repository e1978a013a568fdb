import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { FragmentKey, Fragments } from '#core/kernel/ports/store/message.ts'

interface IncomingPart extends FragmentKey {
  number: number
  text: string
}

/** Placeholder for missing parts. */
const gap = '[…]'

/** Milliseconds after the last part during which a part may be repeated because our response got lost. */
export const repetitionMs = 10 * 60_000

/**
 * Stores a part of a long message until it is complete; returns the texts that are complete now. References wrap around: other
 * text under the same number starts another message and ends the old one.
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

/** A message completed long ago is unrelated to new parts. */
const current = (known: Fragments, at: number): Fragments =>
  known.doneAt !== undefined && known.doneAt < at - repetitionMs ? { parts: {}, doneAt: undefined } : known

export const joined = (parts: Readonly<Record<number, string>>, total: number): string =>
  Array.from({ length: total }, (_, index) => parts[index + 1] ?? (index === 0 || index in parts ? gap : '')).join('')
