import type { Call } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import { mayTransferTo, parseTarget } from '#core/account/flows/transfer-targets.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { FlowTransfer } from '#core/kernel/ports/assistant.ts'
import type { CallerIdentity, Cause } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext, DialTarget } from './routing-context.ts'
import { seenInside } from '../inbound/request.ts'
import { behindNumber, type Destination } from '../inbound/destination.ts'
import { maxHops, maxTransfers, transferSeconds, type DiversionHistory } from '../plan/plan.ts'

interface AssistantInput extends FlowTransfer {
  account: Account
  flow: Flow
  person: Party
  /** As written by the customer's endpoint. */
  to: string
  /** Number of the account on which the assistant was called, or with which it calls. */
  ownNumber: string | undefined
  diverted: DiversionHistory
}

/** Why an assistant cannot transfer its call now; undefined when it can. */
export const assistantTransferRejection = (call: Call, person: Party): Cause | undefined => {
  if (call.progress.state !== 'active' || !call.parties.includes(person)) return 'not_acceptable'
  return call.progress.transfers >= maxTransfers ? 'loop' : undefined
}

/** The assistant chooses the target, but only among those its customer allows. The account pays, as if one of its phones called. */
export const assistantRingTarget = async ({ store }: RoutingContext, input: AssistantInput): Promise<DialTarget | Cause> => {
  const { account, flow, to, diverted, brief } = input
  if (diverted.hops >= maxHops) return 'loop'
  const target = parseTarget(to, account.country)
  if (!target) return 'not_found'
  if (target.kind === 'emergency' || !mayTransferTo(flow.settings, target)) return 'forbidden'
  if (target.kind === 'number' && target.number.premium) return 'forbidden'
  const destination = await destinationOf(store.read, account.id, target)
  // Only people hear a briefing and accept.
  const warm = destination.kind === 'flow' ? undefined : brief
  return {
    destination,
    payer: account,
    asking: { accountId: account.id },
    seenAs: { inside: named(seenInside(input.person), input), outside: await identityOf(store.read, input) },
    diverted: { diversions: [], hops: diverted.hops + 1 },
    seconds: transferSeconds,
    ringback: true,
    ...(warm && { brief: warm }),
  }
}

const destinationOf = async (
  tables: Tables,
  accountId: string,
  target: Exclude<ReturnType<typeof parseTarget>, undefined | { kind: 'emergency' }>,
): Promise<Destination> => {
  if (target.kind === 'number') return behindNumber(tables, target.number.e164)
  if (target.kind === 'flow') return { kind: 'flow', accountId, flowId: target.id, called: target.id }
  return { kind: 'extension', accountId, extension: target.id }
}

const named = (identity: CallerIdentity, { callerName }: AssistantInput): CallerIdentity =>
  callerName === undefined ? identity : { ...identity, name: callerName }

/** Only a number of the account: the one requested by the endpoint, or the flow's own. Any other would be spoofing. */
const identityOf = async (tables: Tables, input: AssistantInput): Promise<CallerIdentity> => {
  const { account, flow, callerNumber, ownNumber } = input
  const asked = callerNumber === undefined ? undefined : parseNumber(callerNumber, account.country)?.e164
  const own = flow.settings.phoneNumber === undefined ? ownNumber : `+${flow.settings.phoneNumber}`
  for (const e164 of [asked, own, ownNumber]) {
    const number = e164 === undefined ? undefined : await tables.numbers.findByE164(account.id, e164)
    if (number?.state === 'ACTIVE') return named({ number: e164, name: '', withheld: false }, input)
  }
  return { number: undefined, name: '', withheld: true }
}
