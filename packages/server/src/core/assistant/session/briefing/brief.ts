import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { AssistantDeps } from '../assistant-parts.ts'
import { SessionLanguage } from '../language/session-language.ts'
import type { SessionContext } from '../session-context.ts'
import { Briefing, type Decision } from './briefing.ts'

/** What the target is told, and in reply to which event. */
export interface BriefingOrder {
  text: string | undefined
  eventId: string
}

/** Talks with the target of a transfer, with the voice of the flow, until it has decided. */
export type BriefTarget = (target: Leg, order: BriefingOrder) => Promise<Decision['decision']>

/**
 * `language`: the flow's, whatever the caller speaks, since targets are people of the flow's owner. It is noted how the target decided, but not
 * what the target said.
 */
export const briefing =
  (deps: AssistantDeps, { call, flow, session, timeline }: SessionContext, language: string): BriefTarget =>
  async (leg, { text, eventId }) => {
    const on = { leg, flow: listeningIn(flow, language), language: new SessionLanguage(language) }
    timeline.briefing(eventId, { state: 'begun' })
    const { decided } = new Briefing({
      clock: deps.clock,
      leg,
      openConversation: (observer) => deps.openConversation(on, observer),
      sessionId: session.id,
      text,
      language,
      detectsMachines: flow.settings.answeringMachineDetection !== undefined,
      over: call.over,
    })
    const { decision, by } = await decided
    timeline.briefing(eventId, { state: decision === 'none' ? 'undecided' : decision, ...(by && { by }) })
    return decision
  }

/** A yes is too short to tell one of several languages. */
const listeningIn = (flow: Flow, language: string): Flow => ({
  ...flow,
  settings: { ...flow.settings, stt: { ...flow.settings.stt, languages: [language] } },
})
