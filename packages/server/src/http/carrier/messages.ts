import type { carrierMessageOperations } from '@offhook/contract/carrier/messages.ts'
import { receiveMessage } from '../../core/portings/receive.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'
import { portingDesk } from '../porting-desk.ts'

export const carrierMessageHandlers = (parts: Parts): Handlers<typeof carrierMessageOperations> => ({
  receiveCarrierMessage: async ({ caller, body }) => {
    await parts.store.write((tables) => receiveMessage(tables, portingDesk(parts), { from: caller.code, message: body }))
    parts.wake()
  },
})
