import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number.ts'
import { advance } from './advance.ts'
import { requireCalendarDate, requireFutureDate } from './donor.ts'
import { keepNumbers } from './donor.ts'
import { sendAbout } from './deliver.ts'
import { legalEvents, possibleSteps, type PortingEvent, type PossibleStep } from './porting-machine.ts'
import type { PortingContext } from './porting-record.ts'

interface OperatorStep {
  event: string
  portDate?: string
  codes?: string[]
  actor: string
}

/** Any legal event: for information that reached the operator on paper or by telephone. */
export const applyOperatorEvent = async (
  tables: Tables,
  context: PortingContext,
  id: number,
  step: OperatorStep,
): Promise<StoredPorting> => {
  const porting = await lockAny(tables, id)
  if (porting.direction === 'OUT') return applyToLeaving(tables, context, porting, step)
  if (step.portDate !== undefined) requireCalendarDate('portDate', step.portDate)
  const legal = legalEvents(porting.status)
  const event = legal.find((name) => name === step.event)
  if (event === undefined) throw illegal(porting, step.event, legal)
  return advance(tables, context, porting, { ...step, event })
}

/** Events that the operator may apply. */
export const stepsForOperator = (porting: StoredPorting): PossibleStep[] =>
  porting.direction === 'IN' ? possibleSteps(porting) : legalOfLeaving(porting).map((event) => ({ event, needs: [] }))

const legalOfLeaving = ({ status }: StoredPorting): PortingEvent[] => (status === 400 ? ['cancel_confirmed'] : [])

/** The other carrier drives an outgoing porting; the operator can end it if that carrier is gone for good. */
const applyToLeaving = (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  { event, actor }: OperatorStep,
): Promise<StoredPorting> => {
  const legal = legalOfLeaving(porting)
  if (!legal.some((name) => name === event)) throw illegal(porting, event, legal)
  return keepNumbers(tables, context, porting, actor)
}

const illegal = ({ status }: StoredPorting, event: string, legal: PortingEvent[]): Problem => {
  const possible = legal.length === 0 ? 'Nothing is.' : `Possible are ${legal.join(', ')}.`
  return new Problem('conflict', `${event} is not possible in state ${status}. ${possible}`)
}

/** TV: the date moves once the present carrier agrees. */
export const askForDate = async (tables: Tables, context: PortingContext, id: number, portDate: string): Promise<StoredPorting> => {
  const porting = await lockIncoming(tables, id)
  requireFutureDate('portDate', portDate, context.clock.now())
  if (porting.status !== 400 || porting.carrier === undefined || porting.cancelRequested)
    throw new Problem('conflict', `The current carrier cannot be asked for another date in state ${porting.status}.`)
  await sendAbout(tables, context, porting, { type: 'TV', portDate })
  return porting
}

const lockAny = async (tables: Tables, id: number): Promise<StoredPorting> => {
  const porting = await tables.portings.lock(id)
  if (!porting) throw new Problem('porting_not_found')
  return porting
}

const lockIncoming = async (tables: Tables, id: number): Promise<StoredPorting> => {
  const porting = await lockAny(tables, id)
  if (porting.direction !== 'IN') throw new Problem('conflict', 'A porting to another carrier is controlled by that carrier.')
  return porting
}
