import type { Payer } from '#core/money/rates.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Destination } from '../inbound/destination.ts'
import type { Circumstances } from './phones.ts'
import { planExtension } from './plan-place.ts'
import { applyRules } from './plan-rules.ts'
import { maxWaitSeconds, ringSeconds, type Phone, type Plan, type Step } from './plan.ts'

/** What is done for a caller to this destination. `payer` is the account that pays for calls to other networks, if one does. */
export const planDestination = async (
  tables: Tables,
  destination: Destination,
  payer: Payer | undefined,
  around: Circumstances,
): Promise<Plan> => {
  switch (destination.kind) {
    case 'emergency':
      return ringOne({ kind: 'emergency', dialled: destination.dialled }, destination.dialled, maxWaitSeconds)
    case 'outside':
      return payer ? ringOne({ kind: 'outside', payer, e164: destination.e164 }, destination.e164) : unassigned(destination.e164)
    case 'extension':
      return planExtension(tables, destination, around)
    case 'flow':
      return planFlow(tables, destination, around.now)
    case 'messages':
      return { place: undefined, called: destination.called, steps: [{ kind: 'messages' }] }
    case 'unassigned':
    default:
      return unassigned(destination.called)
  }
}

const ringOne = (phone: Phone, called: string, seconds = ringSeconds): Plan => ({
  place: undefined,
  called,
  steps: [{ kind: 'ring', phones: [phone], seconds, ifNone: 'unavailable' }],
})

const unassigned = (called: string): Plan => ({ place: undefined, called, steps: [{ kind: 'reject', cause: 'not_found' }] })

const planFlow = async (
  tables: Tables,
  { accountId, flowId, called, numberId, userId, draft, pretends }: Destination & { kind: 'flow' },
  now: number,
): Promise<Plan> => {
  const flow = await tables.flows.find(accountId, flowId)
  if (!flow) return unassigned(called)
  const place = { accountId, extension: flowId, alias: flow.name, userId }
  const steps: Step[] = [{ kind: 'flow', flowId, ...(draft && { draft }), ...(pretends && { pretends }) }]
  // Who tries it in a browser wants to talk to it, also at night.
  if (userId !== undefined) return { place, called, steps }
  const targets = [
    { id: numberId, name: called },
    { id: flowId, name: flow.name },
  ]
  return { place, called, ...(await applyRules(tables, { accountId, place: flowId, targets }, steps, now)) }
}
