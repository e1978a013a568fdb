import { randomUUID } from 'node:crypto'
import type { Bus } from '#core/kernel/ports/platform.ts'
import type { History } from '#core/kernel/ports/store/call.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { publishAfterCommit } from '#core/kernel/watched-store.ts'
import type { Watchers } from '#core/kernel/watchers.ts'

/** Wraps the store: after each commit, notifies about every account whose voicemails may have been added, read, archived or removed. */
export const publishMessageChanges = (store: Store, news: Pick<Watchers, 'notify'>): Store =>
  publishAfterCommit(store, noting, (accountId) => news.notify(accountId))

/** Notifies watchers on all nodes; local watchers also while the bus is unavailable. */
export const eventsForAll = (news: Watchers, bus: Bus): Pick<Watchers, 'notify'> => {
  if (bus.alone) return news
  const from = randomUUID()
  bus.hear(eventsSubject, (heard) => {
    const said = heard as MessageWaiting
    if (said.from !== from) news.notify(said.accountId)
  })
  return {
    notify(accountId) {
      news.notify(accountId)
      bus.notify(eventsSubject, { from, accountId } satisfies MessageWaiting)
    },
  }
}

interface MessageWaiting {
  from: string
  accountId: string
}

const eventsSubject = 'messages.news'

const noting = (tables: Tables, touched: () => Set<string>): Tables => {
  const { history } = tables
  const noted: Pick<History, 'insert' | 'update' | 'remove'> = {
    insert(accountId, entry) {
      if (entry.type === 'VOICEMAIL') touched().add(accountId)
      return history.insert(accountId, entry)
    },
    update(accountId, id, change, at) {
      if (change.read !== undefined || change.archived !== undefined) touched().add(accountId)
      return history.update(accountId, id, change, at)
    },
    remove(accountId, id) {
      touched().add(accountId)
      return history.remove(accountId, id)
    },
  }
  return { ...tables, history: { ...history, ...noted } }
}
