import type { EventType } from '@offhook/contract/assistant/events.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { TrialChannel, TrialHint } from '@offhook/contract/v3/trials.ts'
import { withGateway } from '#core/account/flows/gateway-flow.ts'
import { secretsInForce } from '#core/account/flows/flow-secrets.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { EndpointUnavailable, type OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { EndpointTrial, EndpointTrials } from '#core/kernel/ports/assistant/endpoint-trials.ts'
import type { Flow, FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { AccountLanes } from '#core/kernel/webhook/account-lanes.ts'
import type { Listeners } from '../listeners/listeners.ts'
import { sampleEvent, sampleNumbers } from './sample-event.ts'

export interface TryEndpointDeps {
  clock: Clock
  listeners: Listeners
  trials: EndpointTrials
  /** Limits trials, so that the service cannot be used to flood other servers. */
  trialLanes: AccountLanes
}

export interface TrialRequest {
  /** Names the made-up session. */
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

/** Sends a made-up event the way that a call of this flow would. */
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

const eventOf = (clock: Clock, accountId: string, { settings }: Flow, { id, event: type = 'session_start', text = 'Hello' }: TrialRequest) => {
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
