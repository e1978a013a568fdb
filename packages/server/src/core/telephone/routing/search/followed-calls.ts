import type { Call } from '#core/telephone/call/call.ts'
import { notifyHangup } from '#core/telephone/call/records/call-notifications.ts'
import type { Station, Party, Role } from '#core/telephone/call/state/party.ts'
import { writeWithRetry } from '#core/kernel/work/write-with-retry.ts'
import type { Followed, HangupCause } from '#core/kernel/ports/call-guide.ts'

/** The calls that an account's software follows on the side of a party that may be replaced. The other party may be of the same account. */
export const followedOf = (call: Call, accountId: string | undefined, { role, other }: { role: Role; other: Party }): Followed[] => {
  const known = call.details.sides.find((side) => side.accountId === accountId)?.followed ?? []
  const direction = role === 'caller' ? 'out' : 'in'
  return other.station?.accountId === accountId ? known.filter((one) => one.call.direction === direction) : [...known]
}

/** All that accounts' software follows of this call. */
export const allFollowed = (call: Call): Followed[] => call.details.sides.flatMap((side) => side.followed)

/** The call goes on, but what the account's software knows of it is over. At the end of the call itself that is written with the rest. */
export const endFollowed = (call: Call, followed: Followed | undefined, cause: HangupCause): void => {
  const list = call.details.sides.map((side) => side.followed).find((one) => followed !== undefined && one.includes(followed))
  if (!followed || !list || call.end) return
  list.splice(list.indexOf(followed), 1)
  const at = call.context.clock.now()
  const written = writeWithRetry(call.context, call.id, (tables) => notifyHangup(tables, followed, cause, at))
  call.track(written.then(() => call.context.wake()))
  call.books.changed()
}

/** The call was taken. Each account learns only the number that led on from there: where others forward calls to is their own business. */
export const answerFollowed = (call: Call, answers: readonly Answer[], station: Station | undefined): void => {
  for (const { followed, number } of answers) {
    const own = followed.call.direction === 'in' && station?.accountId === followed.call.accountId
    followed.answered ??= { number, userId: own ? station.userId : undefined }
  }
  call.books.changed()
}

export interface Answer {
  followed: Followed
  /** The one that answered, as far as this account knows. */
  number: string
}
