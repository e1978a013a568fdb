import type { operatorPrivacyOperations } from '@offhook/contract/operator/privacy.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { auditByOperator, operatorActor, type ActingOperator } from '#core/kernel/audit/audit.ts'
import type { StoredErasure, StoredExport } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { RisingIds } from '#core/kernel/work/rising-ids.ts'
import { removeExport, requestExport } from '#core/operate/privacy/request-export.ts'
import { cancelErasure, scheduleErasure } from '#core/operate/privacy/schedule-erasure.ts'
import { readSubject, requireSubject } from '#core/operate/privacy/subject.ts'
import type { Handlers } from '../handler/context.ts'
import { archiveReply } from '../handler/export-archive.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toErasureElement, toExportElement } from '../handler/privacy-element.ts'

export const operatorPrivacyHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'personalData' | 'exportArchives' | 'wake'>,
): Handlers<typeof operatorPrivacyOperations> => {
  const { store, clock, vault, personalData, exportArchives: archives, wake } = deps
  const ids = new RisingIds(clock)

  const note = (tables: Tables, operator: ActingOperator, action: string, request: StoredExport | StoredErasure) => {
    const { accountId, id, subjectType, reference } = request
    return auditByOperator(tables, clock, operator, { chain: accountId, action, target: id, detail: { subjectType, reference } })
  }

  const knownExport = async (id: string): Promise<StoredExport> => {
    const found = await store.read.dataExports.findAnywhere(id)
    if (!found || found.expiresAt <= clock.now()) throw new Problem('export_not_found')
    return found
  }

  const knownErasure = async (id: string): Promise<StoredErasure> => {
    const found = await store.read.erasureRequests.findAnywhere(id)
    if (!found) throw new Problem('erasure_not_found')
    return found
  }

  return {
    createAccountExport: async ({ caller, body }) => {
      const subject = readSubject(body.accountId, body.subject)
      await requireSubject(store.read, personalData, subject)
      const request = { id: ids.next(), subject, requestedBy: operatorActor(caller) }
      const stored = await store.write(async (tables) => {
        const requested = await requestExport(tables, deps, request)
        await note(tables, caller, 'export.request', requested)
        return requested
      })
      wake()
      return toExportElement(vault, stored)
    },

    listAccountExports: async ({ query: { accountId, after, limit = 100, offset = 0 } }) => {
      const exports = await store.read.dataExports.page({ accountId, after, limit, offset })
      return { items: exports.filter(({ expiresAt }) => expiresAt > clock.now()).map((one) => toExportElement(vault, one)) }
    },

    readAccountExport: async ({ params }) => toExportElement(vault, await knownExport(params.exportId)),

    readAccountExportArchive: async ({ caller, params }) => {
      const found = await knownExport(params.exportId)
      return archiveReply(archives, found, () => store.write((tables) => note(tables, caller, 'export.read', found)))
    },

    deleteAccountExport: async ({ caller, params }) => {
      const found = await knownExport(params.exportId)
      await removeExport({ store, archives }, found, (tables) => note(tables, caller, 'export.delete', found))
    },

    createAccountErasure: async ({ caller, body }) => {
      const subject = readSubject(body.accountId, body.subject)
      await requireSubject(store.read, personalData, subject)
      const request = { id: ids.next(), subject, graceDays: body.graceDays, requestedBy: operatorActor(caller) }
      const stored = await store.write(async (tables) => {
        const scheduled = await scheduleErasure(tables, deps, request)
        await note(tables, caller, 'erasure.schedule', scheduled)
        return scheduled
      })
      wake()
      return toErasureElement(vault, stored)
    },

    listAccountErasures: async ({ query: { accountId, after, limit = 100, offset = 0 } }) => ({
      items: (await store.read.erasureRequests.page({ accountId, after, limit, offset })).map((one) => toErasureElement(vault, one)),
    }),

    readAccountErasure: async ({ params }) => toErasureElement(vault, await knownErasure(params.erasureId)),

    cancelAccountErasure: async ({ caller, params }) => {
      const found = await knownErasure(params.erasureId)
      await store.write(async (tables) => {
        await cancelErasure(tables, deps, found)
        await note(tables, caller, 'erasure.cancel', found)
      })
      wake()
    },
  }
}
