import type { Call } from '#core/telephone/call/call.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import { mayTransferTo, parseTarget } from '#core/account/flows/transfer-targets.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { FlowTransfer } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { CallerIdentity, Cause } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from './routing-context.ts'
import { seenInside } from '../inbound/caller-identity.ts'
import { behindNumber } from '../inbound/destination.ts'
import { maxHops, maxTransfers, transferSeconds, type DiversionHistory } from '../plan/plan.ts'
import type { DialTarget } from './ring-target.ts'

export interface AssistantInput extends FlowTransfer {
  account: Account
  flow: Flow
  person: Party
  /** As the customer's endpoint wrote it. */
  to: string
  /** The number of the account by which the assistant was reached, or with which it calls. */
  ownNumber: string | undefined
  diverted: DiversionHistory
}

/** Why an assistant cannot put its call through now; undefined when that is possible. */
export const assistantTransferRejection = (call: Call, person: Party): Cause | undefined => {
  if (call.progress.state !== 'active' || !call.parties.includes(person)) return 'not_acceptable'
  return call.progress.transfers >= maxTransfers ? 'loop' : undefined
}

/** An assistant says where to, but only its customer says where it may. The account pays, as if one of its phones called there. */
export const assistantRingTarget = async ({ store }: RoutingContext, input: AssistantInput): Promise<DialTarget | Cause> => {
  const { account, flow, to, diverted, brief } = input
  if (diverted.hops >= maxHops) return 'loop'
  const target = parseTarget(to, account.country)
  if (!target) return 'not_found'
  if (target.kind === 'emergency' || !mayTransferTo(flow.settings, target)) return 'forbidden'
  if (target.kind === 'number' && target.number.premium) return 'forbidden'
  const destination =
    target.kind === 'number'
      ? await behindNumber(store.read, target.number.e164)
      : ({ kind: 'extension', accountId: account.id, extension: target.id } as const)
  return {
    destination,
    payer: account,
    asking: { accountId: account.id },
    seenAs: { inside: named(seenInside(input.person), input), outside: await identityOf(store.read, input) },
    diverted: { diversions: [], hops: diverted.hops + 1 },
    seconds: transferSeconds,
    ringback: true,
    ...(brief && { brief }),
  }
}

const named = (identity: CallerIdentity, { callerName }: AssistantInput): CallerIdentity =>
  callerName === undefined ? identity : { ...identity, name: callerName }

/** Only a number of the account: the one that the endpoint asks for, or the flow's own. Every other number would be spoofed. */
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
