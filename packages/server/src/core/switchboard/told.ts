import type { Call } from '../call/call.ts'
import { tellHangup } from '../call/notices.ts'
import type { Party, Role } from '../call/party.ts'
import { writeSurely } from '../call/sure-write.ts'
import type { Followed, HangupCause } from '../ports/call-guide.ts'

/** What the software of an account knows about the part of somebody who may be replaced. The other one may be of the same account. */
export const toldOf = (call: Call, accountId: string | undefined, { role, other }: { role: Role; other: Party }): Followed[] => {
  const known = call.story.sides.find((side) => side.accountId === accountId)?.followed ?? []
  const direction = role === 'caller' ? 'out' : 'in'
  return other.desk?.accountId === accountId ? known.filter((one) => one.call.direction === direction) : [...known]
}

/** What all accounts' software knows about it. */
export const allTold = (call: Call): Followed[] => call.story.sides.flatMap((side) => side.followed)

/** The call goes on, but what the account's software knows of it is over. At the end of the call itself that is written with the rest. */
export const endTold = (call: Call, followed: Followed | undefined, cause: HangupCause): void => {
  const list = call.story.sides.map((side) => side.followed).find((one) => followed !== undefined && one.includes(followed))
  if (!followed || !list || call.end) return
  list.splice(list.indexOf(followed), 1)
  const at = call.parts.clock.now()
  const written = writeSurely(call.parts, call.id, (tables) => tellHangup(tables, followed, cause, at))
  call.alongside(written.then(() => call.parts.wake()))
  call.books.changed()
}

/** Somebody took the call where it was led to; to those who called it is the answer in any case. */
export const answerTold = (call: Call, onTheWay: readonly Followed[], { number, desk }: Answer): void => {
  const calling = allTold(call).filter((one) => one.call.direction === 'out')
  const unanswered = [...calling, ...onTheWay].filter(({ answered }) => !answered)
  for (const followed of unanswered) {
    const own = followed.call.direction === 'in' && desk?.accountId === followed.call.accountId
    followed.answered = { number, userId: own ? desk.userId : undefined }
  }
  call.books.changed()
}

export interface Answer {
  /** Of whoever answered. */
  number: string
  desk: { accountId: string; userId: string } | undefined
}
