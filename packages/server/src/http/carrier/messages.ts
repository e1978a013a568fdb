import type { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import { receiveMessage } from '#core/account/portings/receive.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'
import { portingDesk } from '../handler/porting-desk.ts'

export const carrierMessageHandlers = (
  parts: Pick<HandlerParts, 'store' | 'clock' | 'vault' | 'installation' | 'wake'>,
): Handlers<typeof carrierMessageOperations> => ({
  receiveCarrierMessage: async ({ caller, body }) => {
    await parts.store.write((tables) => receiveMessage(tables, portingDesk(parts), { from: caller.code, message: body }))
    parts.wake()
  },
})
