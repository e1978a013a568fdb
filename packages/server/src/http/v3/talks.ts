import type { talkOperations } from '@offhook/contract/v3/talks.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

/** As E.164. */
const pretended = (name: 'from' | 'to', number: string | undefined) => number !== undefined && { [name]: number.replace(/^\+?/, '+') }

export const talkHandlers = ({ talks }: Pick<HandlerParts, 'talks'>): Handlers<typeof talkOperations> => ({
  startTalk: async ({ caller, params, body }) => {
    const { talkId, url, expiresAt } = await talks.invite(caller, params.aiFlowId, {
      sound: body.audio ?? true,
      draft: body.draft ?? false,
      pretends: { ...pretended('from', body.from), ...pretended('to', body.to) },
    })
    return { talkId, url, expiresAt: new Date(expiresAt).toISOString() }
  },
})
