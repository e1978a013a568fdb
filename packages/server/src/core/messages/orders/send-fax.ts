import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { reserveFax } from '#core/money/reservations.ts'
import type { FaxOrder } from '#core/kernel/ports/calls.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Faxline } from '#core/kernel/ports/store/line.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { senderOf } from '../fax/sending/fax-route.ts'
import { readDocument, type RemoteTurn } from './fax-document.ts'
import { carryOut, orderingAccount, type SessionDeps } from '#core/money/paid-order.ts'
import { readRecipient, type Recipient } from './recipient.ts'

export interface FaxInput {
  faxlineId: string
  recipient: string
  filename: string
  base64Content: string
}

export const sendFax = async (
  deps: SessionDeps & { othersTurn: RemoteTurn },
  user: UserCaller,
  sessionId: string,
  input: FaxInput,
): Promise<void> => {
  const account = await orderingAccount(deps.store, user.accountId)
  const recipient = await readRecipient(deps.store, account, input.recipient)
  const { filename, pdf, pages } = await readDocument(input.filename, input.base64Content, deps.othersTurn)
  await requireFaxline(deps.store, user, input.faxlineId)
  await fax(deps, user, account, { sessionId, faxlineId: input.faxlineId, recipient, pages, document: { filename, pdf } })
}

/** Resends the document of an earlier fax to the same recipient, possibly from another fax line. */
export const resendFax = async (
  deps: SessionDeps,
  user: UserCaller,
  sessionId: string,
  { faxId, faxlineId }: { faxId: string; faxlineId: string },
): Promise<void> => {
  const account = await orderingAccount(deps.store, user.accountId)
  const faxline = await findFaxline(deps.store, user.accountId, faxlineId)
  const entry = await sentFax(deps.store, user.accountId, faxId)
  if (!user.admin && entry.userId !== user.userId && !entry.connectionIds.includes(faxlineId)) throw new Problem('forbidden')
  await requireSender(deps.store, user, faxline)
  const recipient = await readRecipient(deps.store, account, entry.target)
  await fax(deps, user, account, { sessionId, faxlineId, recipient, pages: entry.detail.pageCount ?? 1, document: { resendOf: faxId } })
}

interface Fax extends Pick<FaxOrder, 'sessionId' | 'faxlineId' | 'document'> {
  recipient: Recipient
  pages: number
}

const fax = async (deps: SessionDeps, user: UserCaller, account: Account, { recipient, pages, ...order }: Fax): Promise<void> => {
  if (recipient.side.premium) throw new Problem('destination_blocked')
  const { sessionId } = order
  const { read } = deps.store
  const faxline = await findFaxline(deps.store, account.id, order.faxlineId)
  const by = { userId: user.userId, number: await senderOf(read, account.id, faxline) }
  await carryOut(
    deps,
    user,
    (tables) => reserveFax(tables, deps.clock, { payer: account, sessionId, destination: recipient.side.costs, pages, by }),
    () => deps.orders.sendFax({ ...order, accountId: account.id, userId: user.userId, recipient: recipient.e164 }),
  )
}

const requireFaxline = async (store: Store, user: UserCaller, id: string): Promise<void> =>
  requireSender(store, user, await findFaxline(store, user.accountId, id))

const findFaxline = async (store: Store, accountId: string, id: string): Promise<Faxline> => {
  const faxline = await store.read.faxlines.find(accountId, id)
  if (!faxline) throw new Problem('faxline_not_found')
  return faxline
}

/** Members of a group may send from its fax line. */
const requireSender = async (store: Store, user: UserCaller, { owner, canSend }: Faxline): Promise<void> => {
  const members = owner.startsWith('g') ? await store.read.groups.members(user.accountId, owner) : []
  await demand(store, 'CAN_SEND_FAX', user, members.includes(user.userId) ? user.userId : owner)
  if (!canSend) throw new Problem('forbidden', 'This fax line only receives.')
}

const sentFax = async (store: Store, accountId: string, faxId: string): Promise<HistoryEntry> => {
  const entry = await store.read.history.find(accountId, faxId)
  if (entry?.type !== 'FAX') throw new Problem('history_entry_not_found')
  if (entry.direction !== 'OUTGOING') throw new Problem('conflict', 'Only a fax that was sent can be sent again.')
  if (!entry.detail.papers?.includes('document')) throw new Problem('conflict', 'The document of this fax is no longer there.')
  return entry
}
