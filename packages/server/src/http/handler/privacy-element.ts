import type { DataExport, Erasure } from '@offhook/contract/data-subject.ts'
import type { Static } from 'typebox'
import type { StoredErasure, StoredExport } from '#core/kernel/ports/store/account.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { idOfSubject, openSubject } from '#core/operate/privacy/subject.ts'

export const toExportElement = (vault: Vault, request: StoredExport): Static<typeof DataExport> => {
  const { state, readyAt, expiresAt, archive } = request
  return {
    ...toRequestElement(vault, request),
    state,
    ...(readyAt !== undefined && { readyAt: timestamp(readyAt) }),
    expiresAt: timestamp(expiresAt),
    ...archive,
  }
}

export const toErasureElement = (vault: Vault, request: StoredErasure): Static<typeof Erasure> => {
  const { state, dueAt, endedAt, failure, report } = request
  return {
    ...toRequestElement(vault, request),
    state,
    dueAt: timestamp(dueAt),
    ...(endedAt !== undefined && { endedAt: timestamp(endedAt) }),
    ...(failure !== undefined && { failure }),
    ...report,
  }
}

const toRequestElement = (vault: Vault, request: StoredExport | StoredErasure) => {
  const { id, accountId, subjectType, subjectSealed, reference, requestedBy, requestedAt } = request
  const subjectId = subjectSealed === '' ? undefined : idOfSubject(openSubject(vault, subjectSealed))
  return {
    id,
    accountId,
    subject: { type: subjectType, ...(subjectId !== undefined && { id: subjectId }) },
    reference,
    requestedBy,
    requestedAt: timestamp(requestedAt),
  }
}

const timestamp = (at: number): string => new Date(at).toISOString()
