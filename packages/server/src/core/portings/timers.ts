import type { Tables } from '../ports/store/index.ts'
import { advance } from './advance.ts'
import type { PortingDesk } from './porting-record.ts'

/** Runs the day before the port date: the data exchange is opened, unless the agreement is about to be given up. */
export const openExchange = async (tables: Tables, desk: PortingDesk, portingId: number): Promise<void> => {
  const porting = await tables.portings.lock(portingId)
  if (porting?.status !== 400 || porting.direction !== 'IN' || porting.cancelRequested || porting.correction) return
  await advance(tables, desk, porting, { event: 'exchange_opened', actor: 'system' })
}
