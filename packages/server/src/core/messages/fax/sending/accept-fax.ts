import { Problem } from '@offhook/contract/problem.ts'
import { estimateFaxSeconds } from '#core/money/fax-estimate.ts'
import { extendFax } from '#core/money/reservations.ts'
import { DocumentRefused, type FaxFiles } from '#core/kernel/ports/fax-papers.ts'
import type { FaxOrder } from '#core/kernel/ports/orders.ts'
import type { Faxline } from '#core/kernel/ports/store/line/faxlines.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { requireCarriers } from '#core/telephone/routing/plan/trunk-choice.ts'
import { outgoingEntry } from '../state/fax-entry.ts'
import { routeTo, senderOf } from './fax-route.ts'
import { outgoingFax } from '../state/new-fax.ts'
import { scheduleSending } from '../state/schedule-sending.ts'
import type { SendingDeps } from './sending-parts.ts'

/** Of one account: what a stolen token can do at worst. */
const maxUnsent = 500

/** What is to be sent. */
interface Papers {
  filename: string
  pages: number
  resendOf: string | undefined
}

/** The document is made ready for the line first, so that one that cannot be sent is refused and not accepted. */
export const acceptFax = async (deps: SendingDeps, order: FaxOrder): Promise<void> => {
  const { store } = deps
  const { accountId, sessionId, faxlineId, recipient } = order
  if (await store.read.faxes.find(accountId, sessionId)) return
  const faxline = await store.read.faxlines.find(accountId, faxlineId)
  if (!faxline) throw new Problem('faxline_not_found')
  await requireRoute(deps, recipient)
  try {
    const papers = await bringPapers(deps, order)
    await store.write((tables) => enter(tables, deps, { order, faxline, papers }))
  } catch (error) {
    await discard(deps, order).catch((fault: unknown) => deps.onFailure(fault, sessionId))
    throw error
  }
}

/** Refused before any work is done; a carrier that fails later is tried again. */
const requireRoute = async ({ store, telephony }: SendingDeps, recipient: string): Promise<void> => {
  const route = await routeTo(store.read, recipient)
  if (route.kind === 'here') return
  if (route.kind === 'none') throw Problem.field('recipient', 'leads to nothing that takes a fax', 'number_invalid')
  if (telephony.faxMissing !== undefined) throw new Problem('line_unavailable', `Faxes cannot be sent: ${telephony.faxMissing}`)
  if (route.kind === 'outside') await requireCarriers(store.read, telephony, { emergency: false })
}

/** A document that was sent before is copied, because the first one goes when its history entry does. */
const bringPapers = async ({ store, files, printer }: SendingDeps, { accountId, sessionId, document }: FaxOrder): Promise<Papers> => {
  const fax = { accountId, faxId: sessionId }
  if ('pdf' in document) {
    const { pages } = await printer.render(fax, document.pdf).catch(refuse((why) => Problem.field('base64Content', why)))
    return { filename: document.filename, pages, resendOf: undefined }
  }
  const { resendOf } = document
  const sent = await store.read.faxes.find(accountId, resendOf)
  const pdf = sent && (await readAll(files, accountId, resendOf))
  if (!pdf) throw new Problem('conflict', 'The document of this fax is no longer there.')
  const { pages } = await printer.render(fax, pdf).catch(refuse((why) => new Problem('conflict', `The document of this fax ${why}.`)))
  return { filename: sent.filename, pages, resendOf }
}

const refuse =
  (problem: (why: string) => Problem) =>
  (error: unknown): never => {
    throw error instanceof DocumentRefused ? problem(error.why) : error
  }

const readAll = async (files: FaxFiles, accountId: string, faxId: string): Promise<Uint8Array | undefined> => {
  const file = await files.open({ accountId, faxId, kind: 'document' })
  if (!file) return undefined
  try {
    return await file.read(0, file.bytes)
  } finally {
    await file.close()
  }
}

/** The fax, its history entry and the first try, with the money for as many pages as it really has. */
const enter = async (
  tables: Tables,
  { clock }: SendingDeps,
  { order, faxline, papers }: { order: FaxOrder; faxline: Faxline; papers: Papers },
): Promise<void> => {
  const { accountId, sessionId, userId, recipient } = order
  if (await tables.faxes.find(accountId, sessionId)) return
  if (!(await tables.balances.claim(accountId, sessionId, `fax:${sessionId}`)))
    throw new Problem('conflict', 'The money for this fax is no longer reserved.')
  const { pages } = papers
  const seconds = estimateFaxSeconds(pages)
  if ((await extendFax(tables, clock, { accountId, sessionId, seconds, pages })) < seconds) throw new Problem('insufficient_funds')
  if ((await tables.faxes.countUnsent(accountId)) >= maxUnsent)
    throw new Problem('rate_limited', `At most ${maxUnsent} faxes can wait at a time.`, { retryAfter: 60 })
  const sender = (await senderOf(tables, accountId, faxline)) ?? faxline.id
  const fax = outgoingFax({ accountId, id: sessionId, userId, faxlineId: faxline.id, sender, recipient, ...papers }, clock.now())
  await tables.faxes.insert(fax)
  await tables.history.insert(accountId, outgoingEntry(fax, faxline))
  await scheduleSending(tables, fax, fax.createdAt)
}

/** Unless the order was accepted after all, and only the answer was lost. */
const discard = async ({ store, files }: SendingDeps, { accountId, sessionId }: FaxOrder): Promise<void> => {
  if (!(await store.read.faxes.find(accountId, sessionId))) await files.erase(accountId, sessionId)
}
