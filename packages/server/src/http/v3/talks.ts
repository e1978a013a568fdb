import type { talkOperations } from '@offhook/contract/v3/talks.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

/** Converts to E.164. */
const pretended = (name: 'from' | 'to', number: string | undefined) => number !== undefined && { [name]: number.replace(/^\+?/, '+') }

export const talkHandlers = ({ talks }: Pick<HandlerDeps, 'talks'>): Handlers<typeof talkOperations> => ({
  startTalk: async ({ caller, params, body }) => {
    if (body.fast && body.audio !== false) throw Problem.field('fast', 'needs audio false: what somebody hears takes its time')
    const { talkId, url, expiresAt } = await talks.invite(caller, params.aiFlowId, {
      sound: body.audio ?? true,
      fast: body.fast ?? false,
      draft: body.draft ?? false,
      pretends: { ...pretended('from', body.from), ...pretended('to', body.to) },
    })
    return { talkId, url, expiresAt: new Date(expiresAt).toISOString() }
  },
})
