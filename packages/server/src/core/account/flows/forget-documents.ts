import type { Tables } from '#core/kernel/ports/store/index.ts'

export const eraseDocumentJob = 'knowledge.erase'

/** A flow does not know these any more; what is left of them, which may be much, is erased in the background. */
export const forgetDocuments = async (
  { knowledge, jobs }: Pick<Tables, 'knowledge' | 'jobs'>,
  documents: readonly { id: string; accountId: string; flowId: string }[],
  at: number,
): Promise<void> => {
  for (const { id, accountId, flowId } of documents) {
    await knowledge.remove(accountId, flowId, id)
    await jobs.schedule({ id: `${eraseDocumentJob}:${id}`, kind: eraseDocumentJob, payload: { documentId: id }, dueAt: at })
  }
}
