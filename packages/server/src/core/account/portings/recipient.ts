import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number/portings.ts'
import { advance, exchangeJob, planExchange } from './advance.ts'
import type { Received } from './donor.ts'
import { explainCodes } from './message-codes.ts'
import { sendAbout } from './messages.ts'
import { amend, record, type PortingContext, type Step } from './porting-record.ts'

/** Answers of the present carrier to a porting to us. What comes too late to matter is taken and changes nothing. */
export const hearAnswer = async (tables: Tables, context: PortingContext, porting: StoredPorting, received: Received): Promise<void> => {
  const { type, regarding, portDate, codes = [] } = received.message
  const actor = `carrier:${received.from}`
  const said = { codes, actor, ...(portDate !== undefined && { portDate }) }
  if (type === 'RUEM-VA') return hearConsent(tables, context, porting, said)
  if (type === 'PDX-ACK') return hearSwitched(tables, context, porting, actor)
  if (type === 'ABBM' && (regarding ?? 'VA') === 'VA') return hearRefusal(tables, context, porting, said)
  if (type === 'ABBM' && regarding === 'PDX-SUBMIT') return hearExchangeRefused(tables, context, porting, said)
  // 8140: there is no agreement to give up, which is as good as a confirmation.
  const nothingToCancel = codes.includes('8140') && (regarding === 'STR-AUF' || regarding === 'STR-AEN')
  if (type === 'ABBM' && !nothingToCancel) return hearNo(tables, context, porting, regarding, said)
  return hearYes(tables, context, porting, regarding, said)
}

type Said = Omit<Step, 'event'>

/** An answer proves that the request got through, also when our own line broke before we knew. */
const requestArrived = async (tables: Tables, context: PortingContext, porting: StoredPorting, actor: string): Promise<StoredPorting> =>
  porting.status === 170 || porting.status === 251 ? record(tables, context, porting, { event: 'request_sent', actor }) : porting

const hearConsent = async (tables: Tables, context: PortingContext, porting: StoredPorting, said: Said): Promise<void> => {
  // We left meanwhile, or took an earlier refusal for an answer: the agreement must not be left standing.
  if (porting.status === 600 || porting.status === 252) return sendAbout(tables, context, porting, { type: 'STR-AUF' })
  const asked = await requestArrived(tables, context, porting, said.actor)
  if (asked.status === 250) await advance(tables, context, asked, { event: 'request_agreed', ...said })
}

const hearRefusal = async (tables: Tables, context: PortingContext, porting: StoredPorting, said: Said): Promise<void> => {
  const asked = await requestArrived(tables, context, porting, said.actor)
  if (asked.status === 250) await advance(tables, context, asked, { event: 'request_rejected', ...said })
}

const hearExchangeRefused = async (tables: Tables, context: PortingContext, porting: StoredPorting, said: Said): Promise<void> => {
  const explained = await amend(tables, context, { ...porting, reason: explainCodes(said.codes) })
  if (explained.status !== 450) return
  await advance(tables, context, explained, { event: 'exchange_failed', ...said })
  await tables.jobs.cancel(exchangeJob(porting.id)) // asking again would not help
}

const hearYes = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  regarding: string | undefined,
  said: Said,
): Promise<void> => {
  if (regarding === 'TV' && porting.status === 400) await advance(tables, context, porting, { event: 'date_moved', ...said })
  const givenUp = regarding === 'STR-AUF' || regarding === 'STR-AEN'
  // Who wants out is out, whichever of the two the present carrier confirms first.
  if (givenUp && porting.cancelRequested) await advance(tables, context, porting, { event: 'cancel_confirmed', ...said })
  else if (regarding === 'STR-AEN' && porting.correction && porting.status === 400)
    await advance(tables, context, porting, { event: 'change_confirmed', ...said })
}

const hearNo = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  regarding: string | undefined,
  said: Said,
): Promise<void> => {
  const explained = await amend(tables, context, { ...porting, reason: explainCodes(said.codes) })
  if (regarding === 'TV' && porting.status === 400) await advance(tables, context, explained, { event: 'date_move_refused', ...said })
  if (regarding === 'STR-AUF' && porting.cancelRequested) await advance(tables, context, explained, { event: 'cancel_refused', ...said })
  if (regarding !== 'STR-AEN' || !porting.correction) return
  const kept = await amend(tables, context, { ...explained, correction: undefined })
  if (kept.status === 400) await planExchange(tables, context, kept, kept)
}

/** The present carrier has let go, so the numbers ring here, whatever else was on its way. */
const hearSwitched = async (tables: Tables, context: PortingContext, porting: StoredPorting, actor: string): Promise<void> => {
  if (porting.status === 500) return
  let current = porting
  if (current.cancelRequested) current = await record(tables, context, current, { event: 'cancel_refused', actor })
  if (current.status === 451) current = await record(tables, context, current, { event: 'exchange_opened', actor })
  if (current.status !== 450) throw new Problem('conflict', `PDX-ACK does not fit state ${current.status}.`)
  await advance(tables, context, current, { event: 'exchange_confirmed', actor })
}
