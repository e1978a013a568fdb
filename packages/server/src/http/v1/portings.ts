import type { Porting as PortingElement, portingOperations } from '@offhook/contract/v1/portings.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { correctable, correctPorting, orderPorting, revokePorting } from '#core/account/portings/customer.ts'
import { pending, revocable } from '#core/account/portings/porting-machine.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { portingContext } from '../handler/porting-context.ts'
import { portingDocumentHandlers } from './portings/porting-documents.ts'
import { portingIdOf } from './portings/porting-documents.ts'

export const portingHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'installation' | 'wake'>,
): Handlers<typeof portingOperations> => {
  const { store, wake } = deps
  const context = portingContext(deps)
  const list = async (accountId: string) => ({ items: (await store.read.portings.list(accountId)).map(toPortingElement) })
  return {
    ...portingDocumentHandlers(deps),

    listPortings: ({ caller }) => list(caller.accountId),

    getPorting: async ({ caller, params }) => {
      const porting = await store.read.portings.find(caller.accountId, portingIdOf(params.portingId))
      if (!porting) throw new Problem('porting_not_found')
      return toPortingElement(porting)
    },

    startPorting: async ({ caller, body }) => {
      const porting = await store.write((tables) => orderPorting(tables, context, caller, body))
      wake()
      return toPortingElement(porting)
    },

    correctPorting: async ({ caller, params, body }) => {
      const id = portingIdOf(params.portingId)
      const porting = await store.write((tables) => correctPorting(tables, context, caller, id, body))
      wake()
      return toPortingElement(porting)
    },

    revokePorting: async ({ caller, params }) => {
      await store.write((tables) => revokePorting(tables, context, caller, portingIdOf(params.portingId)))
      wake()
      return list(caller.accountId)
    },
  }
}

export const toPortingElement = (porting: StoredPorting): Static<typeof PortingElement> => {
  const { id, portDate, numbers, status, cancelRequested, correction, reason, optinExpires } = porting
  return {
    id,
    portDate: portDate ?? '',
    numbers: numbers.map((number) => ({ id: number.id, number: number.e164 })),
    status,
    revocable: revocable(status),
    pending: pending(status),
    correctable: correctable(porting),
    cancelRequested,
    correctionRequested: correction !== undefined,
    ...(reason !== '' && { reason }),
    ...(optinExpires !== undefined && { consentExpires: new Date(optinExpires).toISOString() }),
  }
}
