import type { operatorSmsOperations } from '@offhook/contract/operator/sms.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const operatorSmsHandlers = ({
  smsRoutes,
  smsGateway,
}: Pick<HandlerDeps, 'smsRoutes' | 'smsGateway'>): Handlers<typeof operatorSmsOperations> => ({
  listSmsRoutes: async () => ({
    items: smsRoutes().map(({ name, usable, reason, since }) => ({
      name,
      usable,
      reason,
      since: new Date(since).toISOString(),
      ...(name === 'gateway' && smsGateway && { messagesUrl: smsGateway.messagesUrl() }),
    })),
  }),
})
