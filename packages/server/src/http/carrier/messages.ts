import type { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import { receiveMessage } from '#core/account/portings/receive.ts'
import type { Handlers } from '../handler/context.ts'
import type { Parts } from '../handler/parts.ts'
import { portingDesk } from '../handler/porting-desk.ts'

export const carrierMessageHandlers = (parts: Parts): Handlers<typeof carrierMessageOperations> => ({
  receiveCarrierMessage: async ({ caller, body }) => {
    await parts.store.write((tables) => receiveMessage(tables, portingDesk(parts), { from: caller.code, message: body }))
    parts.wake()
  },
})
