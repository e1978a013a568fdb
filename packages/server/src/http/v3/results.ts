import { Problem } from '@offhook/contract/problem.ts'
import type { resultOperations } from '@offhook/contract/v3/results.ts'
import { redeliverResult, resultElement } from '#core/assistant/results/announce-result.ts'
import { searchWords } from '#core/assistant/results/note-result.ts'
import type { StoredResult } from '#core/kernel/ports/store/session.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

const defaultLimit = 50

export const resultHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof resultOperations> => {
  const requireFlow = async (accountId: string, id: string): Promise<void> => {
    if (!(await store.read.flows.find(accountId, id))) throw new Problem('flow_not_found')
  }
  const lastRead = async (accountId: string, flowId: string, callId: string | undefined): Promise<StoredResult | undefined> => {
    if (callId === undefined) return undefined
    const result = await store.read.results.find(accountId, flowId, callId)
    if (!result) throw Problem.field('before', 'is no call of this flow, or too long ago')
    return result
  }
  return {
    listResults: async ({ caller: { accountId }, params: { aiFlowId }, query }) => {
      await requireFlow(accountId, aiFlowId)
      const { limit = defaultLimit, outcome, version } = query
      const [from, to] = [timeOf('from', query.from), timeOf('to', query.to)]
      const before = await lastRead(accountId, aiFlowId, query.before)
      const found = await store.read.results.list(accountId, aiFlowId, {
        limit: limit + 1,
        offset: query.offset ?? 0,
        words: searchWords(query.search ?? ''),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(outcome !== undefined && { outcome }),
        ...(version !== undefined && { version }),
        ...(before && { before }),
      })
      return { items: found.slice(0, limit).map(resultElement), more: found.length > limit }
    },

    getResult: async ({ caller: { accountId }, params: { aiFlowId, callId } }) => {
      await requireFlow(accountId, aiFlowId)
      const result = await store.read.results.find(accountId, aiFlowId, callId)
      if (!result) throw new Problem('result_not_found')
      return resultElement(result)
    },

    redeliverResult: async ({ caller, params: { aiFlowId, callId }, effectId }) => {
      await store.write((tables) => redeliverResult(tables, clock, caller, { id: effectId, flowId: aiFlowId, callId }))
      wake()
    },
  }
}

const timeOf = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw Problem.field(name, 'must be a time such as 2026-01-31T12:00:00Z')
  return at
}
