import type { Call } from '#core/telephone/call/call.ts'
import type { Station, Party } from '#core/telephone/call/state/party.ts'
import type { Cause, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { identitiesOf, seenInside } from '../inbound/caller-identity.ts'
import { maxHops, maxTransfers, type Plan } from '../plan/plan.ts'
import { readDialled } from '../inbound/request.ts'
import type { DialTarget } from '../search/ring-target.ts'

/** Why a party cannot be replaced now; undefined when that is possible. */
export const transferRejection = (call: Call, { station, trusted }: Party): Cause | undefined => {
  if (!trusted || !station) return 'forbidden'
  if (call.progress.state !== 'active' || call.parties.length !== 2) return 'not_acceptable'
  return call.progress.transfers >= maxTransfers ? 'loop' : undefined
}

/**
 * A phone asks that the other party be connected with a transfer target. Its account pays and must be allowed to, as if it called there itself.
 * It stays in the call until the target has answered; if it does not, the two go on talking.
 */
export const transferBlind = async (
  context: RoutingContext,
  call: Call,
  party: Party,
  asked: TransferAsked,
  dialled: string,
): Promise<void> => {
  const rejection = transferRejection(call, party)
  const waiting = call.parties.find((other) => other !== party)
  const { station, role } = party
  if (rejection || !waiting || !station) return call.attempt(() => asked.failed(rejection ?? 'not_acceptable'))
  call.attempt(() => asked.trying())
  const done = (plan: Plan): void => {
    call.details.transferred(station.accountId, plan)
    asked.done()
  }
  const outcome = { done, failed: (why: Cause) => asked.failed(why) }
  await context.replace(call, { waiting, leaving: party, role, failureCounts: true, ...outcome }, () =>
    ringTargetOf(context, call, { asking: station, waiting, dialled }),
  )
}

interface PhoneRequest {
  asking: Station
  waiting: Party
  dialled: string
}

const ringTargetOf = async ({ store }: RoutingContext, { hops }: Call, { asking, waiting, dialled }: PhoneRequest): Promise<DialTarget | Cause> => {
  const { read } = store
  const { accountId, deviceId } = asking
  const [account, device] = await Promise.all([read.accounts.find(accountId), read.devices.find(accountId, deviceId)])
  if (hops >= maxHops) return 'loop'
  if (!account || !device) return 'forbidden'
  const destination = await readDialled(read, account, device, dialled)
  if (typeof destination === 'string') return destination
  const { outside } = await identitiesOf(read, account, device, { withheld: false })
  // Phones of the account see whom they will talk to; others see the number that they would see if they were called.
  const seenAs = { inside: seenInside(waiting), outside }
  return { destination, payer: account, asking, seenAs, diverted: { diversions: [], hops } }
}
