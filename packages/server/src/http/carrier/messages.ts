import type { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import { receiveMessage } from '#core/account/portings/receive.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { portingContext } from '../handler/porting-context.ts'

export const carrierMessageHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'installation' | 'wake'>,
): Handlers<typeof carrierMessageOperations> => ({
  receiveCarrierMessage: async ({ caller, body }) => {
    await deps.store.write((tables) => receiveMessage(tables, portingContext(deps), { from: caller.code, message: body }))
    deps.wake()
  },
})
