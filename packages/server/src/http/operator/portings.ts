import type { OperatorPorting, operatorPortingOperations } from '@offhook/contract/operator/portings.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { operatorActor, auditedWrite } from '#core/kernel/audit/audit.ts'
import { applyOperatorEvent, askForDate, stepsForOperator } from '#core/account/portings/operator.ts'
import { openDocument } from '#core/account/portings/documents.ts'
import { startPorting } from '#core/account/portings/start.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { portingContext } from '../handler/porting-context.ts'
import { toPortingElement } from '../v1/portings.ts'
import { toDocumentElement, toFile } from '../v1/portings/porting-documents.ts'
import { portingIdOf } from '../v1/portings/porting-documents.ts'

export const operatorPortingHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'installation' | 'wake'>,
): Handlers<typeof operatorPortingOperations> => {
  const { store, clock, wake } = deps
  const context = portingContext(deps)
  const note = (action: string, detail?: unknown) => (porting: StoredPorting) => ({
    chain: porting.accountId,
    action,
    target: String(porting.id),
    detail,
  })
  const find = async (text: string): Promise<StoredPorting> => {
    const id = portingIdOf(text)
    const [porting] = await store.read.portings.page({ after: id - 1, limit: 1 })
    if (porting?.id !== id) throw new Problem('porting_not_found')
    return porting
  }
  return {
    listAllPortings: async ({ query }) => {
      const { after = '0', limit = 100, offset = 0, accountId } = query
      const page = { after: portingIdOf(after), limit, offset, ...(accountId !== undefined && { accountId }) }
      return { items: (await store.read.portings.page(page)).map(toOperatorPorting) }
    },

    createPorting: async ({ caller, body }) => {
      const { accountId, ...input } = body
      const order = { accountId, actor: operatorActor(caller), wish: input }
      const porting = await auditedWrite(store, clock, caller, note('porting.create'), (tables) => startPorting(tables, context, order))
      wake()
      return toOperatorPorting(porting)
    },

    readPortingDocument: async ({ caller, params: { portingId, documentId } }) => {
      const { id, accountId } = await find(portingId)
      const document = await openDocument(store.read, deps.vault, accountId, id, documentId)
      const note = { chain: accountId, action: 'porting.document_read', target: portingId }
      await auditedWrite(store, clock, caller, note, () => Promise.resolve())
      return toFile(document)
    },

    readPorting: async ({ params }) => {
      const porting = await find(params.portingId)
      const { id, accountId } = porting
      const documents = await store.read.portingDocuments.list(accountId, id)
      const events = await store.read.portings.events(id)
      return {
        ...toOperatorPorting(porting),
        documents: documents.map(toDocumentElement),
        possible: stepsForOperator(porting),
        events: events.map(({ at, from, ...entry }) => ({ ...entry, at: new Date(at).toISOString(), ...(from !== undefined && { from }) })),
      }
    },

    applyPortingEvent: async ({ caller, params, body }) => {
      const id = portingIdOf(params.portingId)
      const step = { ...body, actor: operatorActor(caller) }
      const porting = await auditedWrite(store, clock, caller, note('porting.event', body), (tables) =>
        applyOperatorEvent(tables, context, id, step),
      )
      wake()
      return toOperatorPorting(porting)
    },

    movePortingDate: async ({ caller, params, body }) => {
      const id = portingIdOf(params.portingId)
      const porting = await auditedWrite(store, clock, caller, note('porting.date', body), (tables) =>
        askForDate(tables, context, id, body.portDate),
      )
      wake()
      return toOperatorPorting(porting)
    },
  }
}

const toOperatorPorting = (porting: StoredPorting): Static<typeof OperatorPorting> => {
  const { accountId, direction, carrier, preAgreementId, holder, reason } = porting
  return {
    ...toPortingElement(porting),
    accountId,
    direction,
    holder,
    reason,
    ...(carrier !== undefined && { carrier }),
    ...(preAgreementId !== undefined && { preAgreementId }),
  }
}
