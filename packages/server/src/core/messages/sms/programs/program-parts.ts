import type { ProgramPart } from '#core/kernel/ports/store/message.ts'

/** The parts of one message arrive within seconds; the last one may be rejected and repeated a little later. */
export const overlapMs = 10 * 60_000
/** Within this time a repetition is a lost answer; some programs never change the reference, and may repeat a text on purpose later. */
const repetitionMs = 120_000

interface Placed {
  /** All known parts of the message, including this one. */
  parts: ProgramPart[]
  /** Whether the part starts a new message. */
  begins: boolean
  /** Whether the part is a repetition after a lost answer. */
  repeated: boolean
}

/**
 * Finds the message of a part. References wrap around or never change: other text under the same number is another message,
 * and so is a whole repetition when no answer can have got lost. Another message may begin with the text of the previous one: parts
 * repeated since then belong to it if they precede the first that differs.
 */
export const placePart = (
  present: readonly ProgramPart[],
  { number, text, total }: { number: number; text: string; total: number },
  now: number,
  newId: () => string,
): Placed => {
  const known = present.some(({ at }) => at > now - overlapMs) ? present : []
  const [first] = known
  const earlier = known.find((one) => one.number === number)
  const others = known.filter((one) => one.number !== number)
  const again = others.filter(cameAgain)
  const differs = earlier !== undefined && earlier.text !== text
  const isWholeAgain = !differs && again.length === total - 1 && again.every(({ doneAt = now }) => now - doneAt >= repetitionMs)
  const begins = !first || differs || isWholeAgain
  const { messageId, doneAt } = begins ? { messageId: newId(), doneAt: undefined } : first
  const own = begins ? again.filter((one) => isWholeAgain || one.number < number) : others
  const parts = [...own, { number, text, at: now }].map((one) => ({ ...one, messageId, doneAt }))
  return { parts: parts.toSorted((a, b) => a.number - b.number), begins, repeated: !begins && earlier !== undefined }
}

const cameAgain = ({ at, doneAt }: ProgramPart): boolean => doneAt !== undefined && at > doneAt
