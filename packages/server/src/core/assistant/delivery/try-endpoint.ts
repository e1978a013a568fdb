import type { EventType, AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { TrialChannel, TrialHint } from '@offhook/contract/v3/trials.ts'
import { withGateway } from '#core/account/flows/gateway-flow.ts'
import { secretsInForce } from '#core/account/flows/flow-secrets.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { EndpointUnavailable, type OutgoingEvent, type EndpointTrial, type EndpointTrials } from '#core/kernel/ports/assistant.ts'
import type { Flow, FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import type { Listeners } from './listeners/remote-listeners.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'

interface TryEndpointDeps {
  clock: Clock
  listeners: Listeners
  trials: EndpointTrials
  /** Limits trials, so that the service cannot be used to flood other servers. */
  trialLanes: AccountLanes
}

interface TrialRequest {
  /** Id of the simulated session. */
  id: string
  event?: EventType | undefined
  text?: string | undefined
  channel?: TrialChannel | undefined
}

export interface TriedEndpoint extends EndpointTrial {
  event: OutgoingEvent
  channel: TrialChannel
  hints: TrialHint[]
}

const slowMs = 1_000
const laneWaitMs = 2_000

/** Sends a sample event on the same path as a call of this flow. */
export const tryEndpoint = async (deps: TryEndpointDeps, caller: UserCaller, kept: Flow, input: TrialRequest): Promise<TriedEndpoint> => {
  const flow = withGateway(kept)
  const { listeners, trials, trialLanes } = deps
  const { accountId } = caller
  const channel = chooseChannel(flow.settings, listeners.of(accountId, flow.id) !== undefined, input.channel)
  const event = eventOf(deps.clock, accountId, flow, input)
  const leave = await trialLanes.enter(accountId, laneWaitMs).catch((error: unknown) => {
    throw error instanceof EndpointUnavailable ? new Problem('rate_limited', undefined, { retryAfter: 5 }) : error
  })
  const trial = await trials.run(flow, event, channel).finally(leave)
  return { ...trial, event, channel, hints: hintsOn(trial, event, channel, flow, deps.clock.now()) }
}

const written = 'An assistant that is written here answers the calls of this flow: talk to it to try it.'
const fieldOf = { webhook: 'webhookUrl', websocket: 'websocketUrl', fallback: 'fallbackUrl' } as const

const chooseChannel = (settings: FlowSettings, isHeard: boolean, wanted: TrialChannel | undefined): TrialChannel => {
  const has = (channel: TrialChannel): boolean => (channel === 'listener' ? isHeard : settings[fieldOf[channel]] !== undefined)
  if (wanted === undefined && !isHeard && settings.endpoint === 'assistant') throw new Problem('endpoint_not_set', written)
  const found = wanted === undefined ? (['listener', 'websocket', 'webhook'] as const).find(has) : has(wanted) ? wanted : undefined
  if (found !== undefined) return found
  if (wanted === undefined) throw new Problem('endpoint_not_set')
  const missing = wanted === 'listener' ? 'Nobody is listening to the flow.' : `The flow has no ${fieldOf[wanted]}.`
  throw new Problem('endpoint_not_set', missing, { details: [{ field: 'channel', problem: 'is not there' }] })
}

const eventOf = (
  clock: Clock,
  accountId: string,
  { settings }: Flow,
  { id, event: type = 'session_start', text = 'Hello' }: TrialRequest,
) => {
  const called = settings.phoneNumber ?? sampleNumbers.called
  const { caller } = sampleNumbers
  const numbers = { phone_number: called, direction: 'inbound', from_phone_number: caller, to_phone_number: called } as const
  const body = sampleEvent(type, { id, account_id: accountId, ...numbers }, text, clock.now())
  return { id: `${id}-1`, sessionId: id, accountId, sequence: 1, turn: type === 'session_start' ? 0 : 1, body }
}

const hintsOn = (trial: EndpointTrial, { body }: OutgoingEvent, channel: TrialChannel, { settings }: Flow, now: number): TrialHint[] => {
  const notified = trial.error === undefined
  const wantsWords = body.type === 'session_start' || body.type === 'user_speak'
  return [
    ...(notified && trial.durationMs > slowMs ? (['slow'] as const) : []),
    ...(notified && wantsWords && trial.reply.actions.length === 0 ? (['silent'] as const) : []),
    ...(channel !== 'websocket' && secretsInForce(settings, now).length === 0 ? (['unsigned'] as const) : []),
    ...(settings.disabledBecause !== undefined ? (['disabled'] as const) : []),
  ]
}

/** Reserved by the regulator for fiction: no calls reach them. */
const sampleNumbers = { called: '493023125000', caller: '493023125001' } as const

const sampleToken = 'turn-1-1'

/** Example event. */
const sampleEvent = (type: EventType, session: Session, text: string, now: number): AssistantEvent => samples(session, text, now)[type]

const samples = (session: Session, text: string, now: number): { [T in EventType]: Extract<AssistantEvent, { type: T }> } => ({
  session_start: { type: 'session_start', session },
  user_speak: { type: 'user_speak', session, text, barged_in: false },
  assistant_speak: { type: 'assistant_speak', session, text, duration_ms: 1200, speech_started_at: now - 1200 },
  session_end: { type: 'session_end', session, reason: 'caller_hangup' },
  assistant_speech_ended: { type: 'assistant_speech_ended', session, completed: true, heard_ms: 1200 },
  user_input_timeout: { type: 'user_input_timeout', session },
  dtmf_received: { type: 'dtmf_received', session, digit: '1' },
  user_speech_started: { type: 'user_speech_started', session },
  action_discarded: { type: 'action_discarded', session, action: 'speak', turn: 1, reason: 'superseded' },
  transfer_failed: { type: 'transfer_failed', session, target: `+${sampleNumbers.called}`, cause: 'busy' },
  machine_detected: { type: 'machine_detected', session, result: 'human' },
  session_resumed: { type: 'session_resumed', session, sequence: 7, lost_ms: 1500 },
  user_speech_unclear: { type: 'user_speech_unclear', session, duration_ms: 900, best_guess: text, confidence: 0.31 },
  user_backchannel: { type: 'user_backchannel', session, text: 'mhm' },
  user_speak_partial: { type: 'user_speak_partial', session, text, stable_chars: Math.floor(text.length / 2) },
  user_speak_preview: { type: 'user_speak_preview', session, turn_token: sampleToken, text, confidence: 0.93, end_probability: 0.8 },
  audio_played: { type: 'audio_played', session, name: 'greeting', played_ms: 1200 },
  audio_cleared: { type: 'audio_cleared', session, played_ms: 800, reason: 'barge_in' },
  user_speak_revoked: { type: 'user_speak_revoked', session, turn_token: sampleToken },
})
