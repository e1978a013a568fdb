import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '@offhook/contract/problem.ts'
import type { knowledgeOperations } from '@offhook/contract/v3/knowledge.ts'
import type { ReplyOf } from '@offhook/contract/operation.ts'
import { forgetDocuments } from '#core/account/flows/change-flow.ts'
import { addDocument } from '#core/assistant/knowledge/add-document.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Paragraph } from '#core/kernel/ports/files.ts'
import type { StoredDocument, StoredPassage } from '#core/kernel/ports/store/assistant.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

type DocumentElement = ReplyOf<(typeof knowledgeOperations)['addKnowledge']>

const defaultLimit = 4

export const knowledgeHandlers = (deps: Pick<HandlerDeps, 'store' | 'clock' | 'wake' | 'lookUp'>): Handlers<typeof knowledgeOperations> => {
  const { store, clock, wake, lookUp } = deps
  const requireFlow = async (accountId: string, id: string): Promise<void> => {
    if (!(await store.read.flows.find(accountId, id))) throw new Problem('flow_not_found')
  }
  const find = async (accountId: string, flowId: string, id: string): Promise<StoredDocument> => {
    await requireFlow(accountId, flowId)
    const document = await store.read.knowledge.find(accountId, flowId, id)
    if (!document) throw new Problem('document_not_found')
    return document
  }
  return {
    listKnowledge: async ({ caller: { accountId }, params: { aiFlowId } }) => {
      await requireFlow(accountId, aiFlowId)
      return { items: (await store.read.knowledge.list(accountId, aiFlowId)).map(toElement) }
    },

    addKnowledge: async ({ caller, params: { aiFlowId }, body, effectId }) =>
      toElement(await addDocument({ ...deps, breathe: nextTurn }, caller, { id: effectId, flowId: aiFlowId }, body)),

    getKnowledge: async ({ caller: { accountId }, params: { aiFlowId, documentId } }) => {
      const document = await find(accountId, aiFlowId, documentId)
      const passages = document.state === 'READY' ? await store.read.knowledge.listPassages(documentId) : []
      return { ...toElement(document), text: passages.map(toPassage) }
    },

    deleteKnowledge: async ({ caller, params: { aiFlowId, documentId } }) => {
      const document = await find(caller.accountId, aiFlowId, documentId)
      await store.write(async (tables) => {
        await forgetDocuments(tables, [document], clock.now())
        await auditByUser(tables, clock, caller, 'flow.knowledge.remove', aiFlowId)
      })
      wake()
    },

    searchKnowledge: async ({ caller: { accountId }, params: { aiFlowId }, body: { query, limit = defaultLimit } }) => {
      await requireFlow(accountId, aiFlowId)
      return { items: await lookUp({ accountId, flowId: aiFlowId }, query, limit) }
    },
  }
}

const toPassage = ({ heading, page, text }: StoredPassage): Paragraph => ({
  text,
  ...(heading !== undefined && { heading }),
  ...(page !== undefined && { page }),
})

const toElement = ({ id, name, kind, url, state, problem, bytes, passages, addedAt }: StoredDocument): DocumentElement => ({
  id,
  name,
  kind,
  ...(url !== undefined && { url }),
  state,
  ...(problem !== undefined && { problem }),
  bytes,
  passages,
  addedAt: new Date(addedAt).toISOString(),
})
