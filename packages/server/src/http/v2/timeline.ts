import { Problem } from '@offhook/contract/problem.ts'
import type { timelineOperations } from '@offhook/contract/v2/timeline.ts'
import { FirstLooks } from '#core/kernel/audit/first-looks.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readTimeline, type Reader } from '#core/telephone/timeline/read-timeline.ts'
import { TimelineFeed } from '#core/telephone/timeline/timeline-feed.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'
import type { EventsReply } from '../reply/send-events.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

/** A user with this many open streams has forgotten to close them. */
const mostStreams = 20

export const timelineHandlers = (
  parts: Pick<HandlerParts, 'store' | 'clock' | 'calls' | 'timelines' | 'authenticator'>,
): Handlers<typeof timelineOperations> => {
  const { store, clock, authenticator } = parts
  const streams = new Map<string, number>()
  const looks = new FirstLooks(clock)

  const readerOf = async (caller: UserCaller, language: 'de' | 'en' | undefined): Promise<Reader> => {
    const { accountId, userId } = caller
    if (language !== undefined) return { caller, locale: language === 'de' ? 'de_DE' : 'en_US' }
    const user = await store.read.users.find(accountId, userId)
    return { caller, locale: user?.locale ?? 'en_US' }
  }

  const isStill = async ({ accountId, userId, admin }: UserCaller, authorization: string | undefined): Promise<boolean> => {
    const now = await authenticator.identify(authorization)
    return now?.kind === 'user' && now.accountId === accountId && now.userId === userId && now.admin === admin
  }

  /** Counts one more stream of this user; returns what counts it down. */
  const admit = ({ accountId, userId }: UserCaller): (() => void) => {
    const who = `${accountId}/${userId}`
    const present = streams.get(who) ?? 0
    if (present >= mostStreams) throw new Problem('rate_limited', `A user can watch at most ${mostStreams} times at once.`)
    streams.set(who, present + 1)
    return () => {
      const left = (streams.get(who) ?? 1) - 1
      if (left === 0) streams.delete(who)
      else streams.set(who, left)
    }
  }

  /** It contains what was said, as a recording does. */
  const audit = async (caller: UserCaller, action: string, target: string): Promise<void> => {
    const look = JSON.stringify([caller.accountId, caller.userId, action, target])
    await looks.note(look, () => store.write((tables) => auditByUser(tables, clock, caller, action, target)))
  }

  return {
    getTimeline: async ({ caller, params: { callId }, query: { language, ...page } }) => {
      const found = await readTimeline(parts, await readerOf(caller, language), callId, page)
      if (found.items.length > 0) await audit(caller, 'timeline.read', callId)
      return found
    },

    watchTimeline: async ({ caller, query: { language, ...wish }, authorization, lastEventId }): Promise<EventsReply> => {
      const feed = await TimelineFeed.open(parts, await readerOf(caller, language), { ...wish, lastId: lastEventId })
      await audit(caller, 'timeline.watch', wish.callId ?? wish.flowId ?? '')
      const leave = admit(caller)
      return {
        start(sink) {
          const stop = feed.start(sink)
          return () => {
            stop()
            leave()
          }
        },
        isAllowed: () => isStill(caller, authorization),
      }
    },
  }
}
