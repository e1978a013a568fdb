import { scenarioOfCall } from '@offhook/contract/recording/call-scenario.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { explanationOperations } from '@offhook/contract/v2/explanation.ts'
import { explainCall } from '#core/telephone/timeline/explain/explain-call.ts'
import { readWhole } from '#core/telephone/timeline/read-timeline.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { FirstLooks, auditByUser } from '#core/kernel/audit/audit.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Reader } from '#core/telephone/timeline/read-timeline.ts'

export const explanationHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'calls' | 'timelines'>,
): Handlers<typeof explanationOperations> => {
  const readers = new TimelineReaders(deps)
  return {
    explainCall: async ({ caller, params, query: { language } }) => {
      const reader = await readers.of(caller, language)
      const call = await readWhole(deps, reader, params.callId)
      await readers.note(caller, 'timeline.read', params.callId)
      return explainCall(call, reader.locale)
    },

    getCallScenario: async ({ caller, params, query: { words } }) => {
      const { callId, entries } = await readWhole(deps, await readers.of(caller, 'en'), params.callId)
      await readers.note(caller, 'timeline.read', params.callId)
      const scenario = scenarioOfCall(entries, { callId, ...(words !== undefined && { words }) })
      if (!scenario) throw new Problem('call_not_repeatable')
      return scenario
    },
  }
}

/** Readers of timelines: their language, and the audit of their access. */
export class TimelineReaders {
  readonly #deps: Pick<HandlerDeps, 'store' | 'clock'>
  readonly #looks: FirstLooks

  constructor(deps: Pick<HandlerDeps, 'store' | 'clock'>) {
    this.#deps = deps
    this.#looks = new FirstLooks(deps.clock)
  }

  async of(caller: UserCaller, language: 'de' | 'en' | undefined): Promise<Reader> {
    const { accountId, userId } = caller
    if (language !== undefined) return { caller, locale: language === 'de' ? 'de_DE' : 'en_US' }
    const user = await this.#deps.store.read.users.find(accountId, userId)
    return { caller, locale: user?.locale ?? 'en_US' }
  }

  /** A timeline contains the spoken words, as a recording does. */
  async note(caller: UserCaller, action: string, target: string): Promise<void> {
    const { store, clock } = this.#deps
    const look = JSON.stringify([caller.accountId, caller.userId, action, target])
    await this.#looks.note(look, () => store.write((tables) => auditByUser(tables, clock, caller, action, target)))
  }
}
