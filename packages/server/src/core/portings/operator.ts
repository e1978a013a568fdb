import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '../ports/store/index.ts'
import type { StoredPorting } from '../ports/store/portings.ts'
import { advance } from './advance.ts'
import { requireCalendarDate, requireFutureDate } from './calendar-date.ts'
import { sendAbout } from './messages.ts'
import { legalEvents, type PortingEvent } from './porting-machine.ts'
import type { PortingDesk } from './porting-record.ts'

export interface OperatorStep {
  event: string
  portDate?: string
  codes?: string[]
  actor: string
}

/** Any event that fits: for what reached the operator on paper or by telephone. */
export const applyOperatorEvent = async (tables: Tables, desk: PortingDesk, id: number, step: OperatorStep): Promise<StoredPorting> => {
  const porting = await lockIncoming(tables, id)
  if (step.portDate !== undefined) requireCalendarDate('portDate', step.portDate)
  const legal = legalEvents(porting.status)
  const event = legal.find((name) => name === step.event)
  if (event === undefined) throw illegal(porting, step.event, legal)
  return advance(tables, desk, porting, { ...step, event })
}

const illegal = ({ status }: StoredPorting, event: string, legal: PortingEvent[]): Problem => {
  const possible = legal.length === 0 ? 'It is finished.' : `Possible are ${legal.join(', ')}.`
  return new Problem('conflict', `${event} is not possible in state ${status}. ${possible}`)
}

/** TV: the date moves when the present carrier has agreed to it. */
export const askForDate = async (tables: Tables, desk: PortingDesk, id: number, portDate: string): Promise<StoredPorting> => {
  const porting = await lockIncoming(tables, id)
  requireFutureDate('portDate', portDate, desk.clock.now())
  if (porting.status !== 400 || porting.carrier === undefined || porting.cancelRequested)
    throw new Problem('conflict', `The present carrier cannot be asked for another date in state ${porting.status}.`)
  await sendAbout(tables, desk, porting, { type: 'TV', portDate })
  return porting
}

const lockIncoming = async (tables: Tables, id: number): Promise<StoredPorting> => {
  const porting = await tables.portings.lock(id)
  if (!porting) throw new Problem('porting_not_found')
  if (porting.direction !== 'IN') throw new Problem('conflict', 'A porting to another carrier is led by that carrier.')
  return porting
}
