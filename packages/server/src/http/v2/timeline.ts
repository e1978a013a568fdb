import { isDeepStrictEqual } from 'node:util'
import { Problem } from '@offhook/contract/problem.ts'
import type { timelineOperations } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readTimeline } from '#core/telephone/timeline/read-timeline.ts'
import { FairQueue } from '#core/kernel/work/fair-queue.ts'
import { TimelineFeed } from '#core/telephone/timeline/timeline-feed.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import type { EventsReply } from '../reply/send-events.ts'
import { TimelineReaders } from './explanation.ts'

/** Maximum open streams per user; more indicate a client that does not close them. */
const maxStreams = 20
/** Half of all connections that a node accepts. */
const maxStreamsOfAccount = 500

export const timelineHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines' | 'authenticator'>,
): Handlers<typeof timelineOperations> => {
  const { authenticator } = deps
  const users = new FairQueue({ maxRunningPerKey: maxStreams, maxWaiting: 0 })
  const accounts = new FairQueue({ maxRunningPerKey: maxStreamsOfAccount, maxWaiting: 0 })
  const readers = new TimelineReaders(deps)

  /** A changed role ends the stream: the client reconnects and gets what it may see now. */
  const isStill = async ({ accountId, userId, admin, grants }: UserCaller, authorization: string | undefined): Promise<boolean> => {
    const now = await authenticator.identify(authorization)
    if (now?.kind !== 'user' || now.accountId !== accountId || now.userId !== userId) return false
    return now.admin === admin && isDeepStrictEqual(now.grants, grants)
  }

  return {
    getTimeline: async ({ caller, params: { callId }, query: { language, ...page } }) => {
      const found = await readTimeline(deps, await readers.of(caller, language), callId, page)
      if (found.items.length > 0) await readers.note(caller, 'timeline.read', callId)
      return found
    },

    watchTimeline: async ({ caller, query: { language, ...input }, authorization, lastEventId }): Promise<EventsReply> => {
      const feed = await TimelineFeed.open(deps, await readers.of(caller, language), { ...input, lastId: lastEventId })
      await readers.note(caller, 'timeline.watch', input.callId ?? input.flowId ?? '')
      const ofUser = users.enter(`${caller.accountId}/${caller.userId}`)
      if (!ofUser) throw new Problem('rate_limited', `A user can watch at most ${maxStreams} times at once.`)
      const ofAccount = accounts.enter(caller.accountId)
      if (!ofAccount) {
        ofUser.leave()
        throw new Problem('rate_limited', `An account can watch at most ${maxStreamsOfAccount} times at once.`)
      }
      return {
        start(sink) {
          const stop = feed.start(sink)
          return () => {
            stop()
            ofUser.leave()
            ofAccount.leave()
          }
        },
        isAllowed: () => isStill(caller, authorization),
      }
    },
  }
}
