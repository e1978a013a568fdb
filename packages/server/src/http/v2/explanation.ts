import { scenarioOfCall } from '@offhook/contract/recording/call-scenario.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { explanationOperations } from '@offhook/contract/v2/explanation.ts'
import { explainCall } from '#core/telephone/timeline/explain/explain-call.ts'
import { readWhole } from '#core/telephone/timeline/read-whole.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { TimelineReaders } from './timeline-readers.ts'

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
