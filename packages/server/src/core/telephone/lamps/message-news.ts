import type { History } from '#core/kernel/ports/store/call/history.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Watchers } from '#core/kernel/watchers.ts'

/**
 * The same store, which tells of every account whose messages may be others now, as soon as that is committed: by whomever they are left,
 * heard or erased.
 */
export const tellingOfMessages = (store: Store, news: Watchers): Store => ({
  get read() {
    return store.read
  },
  async write(work) {
    const touched = new Set<string>()
    const result = await store.write((tables) => {
      touched.clear() // the work may run again
      return work(noting(tables, touched))
    })
    for (const accountId of touched) news.tell(accountId)
    return result
  },
  ...(store.reach && { reach: store.reach }),
  close: () => store.close(),
})

const noting = (tables: Tables, touched: Set<string>): Tables => {
  const { history } = tables
  const noted: Pick<History, 'insert' | 'update' | 'remove'> = {
    insert(accountId, entry) {
      if (entry.type === 'VOICEMAIL') touched.add(accountId)
      return history.insert(accountId, entry)
    },
    update(accountId, id, change, at) {
      if (change.read !== undefined || change.archived !== undefined) touched.add(accountId)
      return history.update(accountId, id, change, at)
    },
    remove(accountId, id) {
      touched.add(accountId)
      return history.remove(accountId, id)
    },
  }
  return { ...tables, history: { ...history, ...noted } }
}
