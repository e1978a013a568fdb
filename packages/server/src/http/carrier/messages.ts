import type { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import { receiveMessage } from '#core/account/portings/receive.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'
import { portingContext } from '../handler/porting-context.ts'

export const carrierMessageHandlers = (
  parts: Pick<HandlerParts, 'store' | 'clock' | 'vault' | 'installation' | 'wake'>,
): Handlers<typeof carrierMessageOperations> => ({
  receiveCarrierMessage: async ({ caller, body }) => {
    await parts.store.write((tables) => receiveMessage(tables, portingContext(parts), { from: caller.code, message: body }))
    parts.wake()
  },
})
