import { Problem } from '@offhook/contract/problem.ts'
import type { privacyOperations } from '@offhook/contract/v1/privacy.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser, userActor } from '#core/kernel/audit/audit.ts'
import type { DataSubject } from '#core/kernel/ports/account.ts'
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

export const privacyHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'personalData' | 'exportArchives' | 'wake'>,
): Handlers<typeof privacyOperations> => {
  const { store, clock, vault, personalData, exportArchives: archives, wake } = deps
  const ids = new RisingIds(clock)

  const note = (tables: Tables, caller: UserCaller, action: string, { id, subjectType, reference }: StoredExport | StoredErasure) =>
    auditByUser(tables, clock, caller, action, id, { subjectType, reference })

  const visibleExport = async (caller: UserCaller, id: string): Promise<StoredExport> => {
    const found = await store.read.dataExports.find(caller.accountId, id)
    const isVisible = found && (caller.admin || found.requestedBy === userActor(caller.userId))
    if (!isVisible || found.expiresAt <= clock.now()) throw new Problem('export_not_found')
    return found
  }

  const knownErasure = async ({ accountId }: UserCaller, id: string): Promise<StoredErasure> => {
    const found = await store.read.erasureRequests.find(accountId, id)
    if (!found) throw new Problem('erasure_not_found')
    return found
  }

  return {
    createDataExport: async ({ caller, body }) => {
      const subject = readSubject(caller.accountId, body.subject)
      requireOwn(caller, subject)
      await requireSubject(store.read, personalData, subject)
      const request = { id: ids.next(), subject, requestedBy: userActor(caller.userId) }
      const stored = await store.write(async (tables) => {
        const requested = await requestExport(tables, deps, request)
        await note(tables, caller, 'export.request', requested)
        return requested
      })
      wake()
      return toExportElement(vault, stored)
    },

    listDataExports: async ({ caller, query: { after, limit = 100, offset = 0 } }) => {
      const mine = caller.admin ? {} : { requestedBy: userActor(caller.userId) }
      const exports = await store.read.dataExports.page({ accountId: caller.accountId, after, limit, offset, ...mine })
      return { items: exports.filter(({ expiresAt }) => expiresAt > clock.now()).map((one) => toExportElement(vault, one)) }
    },

    getDataExport: async ({ caller, params }) => toExportElement(vault, await visibleExport(caller, params.exportId)),

    getDataExportArchive: async ({ caller, params }) => {
      const found = await visibleExport(caller, params.exportId)
      return archiveReply(archives, found, () => store.write((tables) => note(tables, caller, 'export.read', found)))
    },

    deleteDataExport: async ({ caller, params }) => {
      const found = await visibleExport(caller, params.exportId)
      await removeExport({ store, archives }, found, (tables) => note(tables, caller, 'export.delete', found))
    },

    createErasure: async ({ caller, body }) => {
      const subject = readSubject(caller.accountId, body.subject)
      await requireSubject(store.read, personalData, subject)
      const request = { id: ids.next(), subject, graceDays: body.graceDays, requestedBy: userActor(caller.userId) }
      const stored = await store.write(async (tables) => {
        const scheduled = await scheduleErasure(tables, deps, request)
        await note(tables, caller, 'erasure.schedule', scheduled)
        return scheduled
      })
      wake()
      return toErasureElement(vault, stored)
    },

    listErasures: async ({ caller: { accountId }, query: { after, limit = 100, offset = 0 } }) => ({
      items: (await store.read.erasureRequests.page({ accountId, after, limit, offset })).map((one) => toErasureElement(vault, one)),
    }),

    getErasure: async ({ caller, params }) => toErasureElement(vault, await knownErasure(caller, params.erasureId)),

    cancelErasure: async ({ caller, params }) => {
      const found = await knownErasure(caller, params.erasureId)
      if (found.requestedBy.startsWith('operator:')) throw new Problem('forbidden', 'Only the operator can cancel this erasure.')
      await store.write(async (tables) => {
        await cancelErasure(tables, deps, found)
        await note(tables, caller, 'erasure.cancel', found)
      })
      wake()
    },
  }
}

const requireOwn = ({ admin, userId }: UserCaller, subject: DataSubject): void => {
  if (admin || (subject.type === 'user' && subject.userId === userId)) return
  throw new Problem('forbidden', 'Only an administrator exports data other than the own.')
}
