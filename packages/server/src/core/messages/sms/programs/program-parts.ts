import type { ProgramPart } from '#core/kernel/ports/store/message/programs.ts'

/** The parts of one message come within seconds; the last one may be refused and come again a little later. */
export const overlapMs = 10 * 60_000
/** Within this time the same words once more are a lost answer; some programs never change the reference, and may mean them later. */
const repetitionMs = 120_000

export interface Placed {
  /** All that is there of the message to which the part belongs, with the part itself. */
  parts: ProgramPart[]
  /** It belongs to none of those that were there. */
  begins: boolean
  /** It came before, and its answer got lost. */
  repeated: boolean
}

/**
 * To which message a part belongs. References come round again, or never change: other words under the same number are another message,
 * and so is all of it once more when no answer can have got lost. Another message may begin with the words of the one before: parts that
 * came once more since then are its own if they stand in front of the first that differs.
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
