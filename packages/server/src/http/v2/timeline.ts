import { Problem } from '@offhook/contract/problem.ts'
import type { timelineOperations } from '@offhook/contract/v2/timeline.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readTimeline } from '#core/telephone/timeline/read-timeline.ts'
import { TimelineFeed } from '#core/telephone/timeline/timeline-feed.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import type { EventsReply } from '../reply/send-events.ts'
import { TimelineReaders } from './timeline-readers.ts'

/** A user with this many open streams has forgotten to close them. */
const maxStreams = 20

export const timelineHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines' | 'authenticator'>,
): Handlers<typeof timelineOperations> => {
  const { authenticator } = deps
  const streams = new Map<string, number>()
  const readers = new TimelineReaders(deps)

  const isStill = async ({ accountId, userId, admin }: UserCaller, authorization: string | undefined): Promise<boolean> => {
    const now = await authenticator.identify(authorization)
    return now?.kind === 'user' && now.accountId === accountId && now.userId === userId && now.admin === admin
  }

  /** Counts one more stream of this user; returns what counts it down. */
  const admit = ({ accountId, userId }: UserCaller): (() => void) => {
    const who = `${accountId}/${userId}`
    const present = streams.get(who) ?? 0
    if (present >= maxStreams) throw new Problem('rate_limited', `A user can watch at most ${maxStreams} times at once.`)
    streams.set(who, present + 1)
    return () => {
      const left = (streams.get(who) ?? 1) - 1
      if (left === 0) streams.delete(who)
      else streams.set(who, left)
    }
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
