import type { TimelineEntry } from '../v2/timeline.ts'
import type { Expectation, Scenario, ScenarioStep } from '../assistant/scenario.ts'
import { actions, type ActionType } from '../assistant/actions.ts'
import { recordedCall, type Beat, type RecordedCall } from './recorded-call.ts'

export interface ScenarioWish {
  callId: string
  /** Also expects the assistant's words. */
  words?: boolean
}

const mostSteps = 500
const mostTools = 200

/** Turns a call into a scenario: the caller's actions become steps, their results expectations. Undefined if there is nothing to replay. */
export const scenarioOfCall = (entries: readonly TimelineEntry[], { callId, words = false }: ScenarioWish): Scenario | undefined => {
  const call = recordedCall(entries)
  if (!call || !call.beats.some(({ step }) => step)) return undefined
  const { session, language, tools } = call
  const [from, to] = [numberOf(session.from_phone_number), numberOf(session.to_phone_number)]
  return {
    name: `call ${callId.slice(0, 8)}`,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(language !== undefined && { language }),
    ...(session.variables && { variables: session.variables }),
    call: callId,
    ...(tools.length > 0 && { tools: tools.slice(0, mostTools) }),
    steps: stepsOf(call, words).slice(0, mostSteps),
  }
}

/** A number that can place a call: not `anonymous`, nor an extension. */
const numberOf = (name: string | undefined): string | undefined => (name !== undefined && /^\+?[0-9]{1,20}$/.test(name) ? name : undefined)

/** Only the caller's actions: to replay the conversation and compare the results. */
export const callersSteps = ({ beats }: RecordedCall): ScenarioStep[] => beats.flatMap(({ step }) => step ?? []).slice(0, mostSteps)

const stepsOf = (call: RecordedCall, words: boolean): ScenarioStep[] => {
  const steps = call.beats.flatMap((beat): ScenarioStep[] => [...(beat.step ? [beat.step] : []), ...expectationsOf(beat, words)])
  const { ended } = call
  const last = steps.at(-1)
  if (ended !== 'assistant_hangup' && ended !== 'transferred') return steps
  // Merges the hang-up or transfer with the end of the call into one expectation.
  if (last && 'expect' in last && last.expect.action !== undefined) return [...steps.slice(0, -1), { expect: { ...last.expect, ended } }]
  return [...steps, { expect: { ended } }]
}

const expectationsOf = ({ said, deeds }: Beat, words: boolean): ScenarioStep[] => {
  const sentences = words ? said.map(({ text }) => text.slice(0, 2000)).slice(0, 20) : []
  const heard: Expectation[] = sentences.length > 0 ? [{ said: sentences.length === 1 ? (sentences[0] as string) : sentences }] : []
  return [...heard, ...deeds.map(expectationOf)].map((expect) => ({ expect }))
}

const expectationOf = (deed: string): Expectation => {
  const [, type = '', detail] = /^(\w+)(?: \((.*)\))?$/s.exec(deed) ?? []
  if (type === 'tool') return { tool: detail ?? '?' }
  if (!isAction(type)) return {}
  return { action: type, ...(type === 'transfer' && detail !== undefined && detail.length <= 40 && { target: detail }) }
}

const isAction = (type: string): type is ActionType => type in actions
