import type { talkOperations } from '@offhook/contract/v3/talks.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const talkHandlers = ({ talks }: Pick<HandlerParts, 'talks'>): Handlers<typeof talkOperations> => ({
  startTalk: async ({ caller, params, body }) => {
    const { talkId, url, expiresAt } = await talks.invite(caller, params.aiFlowId, {
      sound: body.audio ?? true,
      draft: body.draft ?? false,
    })
    return { talkId, url, expiresAt: new Date(expiresAt).toISOString() }
  },
})
