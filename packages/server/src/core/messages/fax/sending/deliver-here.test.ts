import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { openExchange } from '#test/routing/scripted-exchange.ts'
import type { CapacityExceeded } from '#core/telephone/recordings/recording-room.ts'
import { deliverHere } from './deliver-here.ts'
import { incomingFax } from '../state/new-fax.ts'
import { keepFaxJobs } from '../receiving/keep-fax.ts'

for (const database of databases) {
  test(`${database}: delivers a fax between local fax lines once, even if repeated`, async (t) => {
    const exchange = await openExchange(t, { database })
    const { store, clock, papers: files } = exchange
    const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
    const [faxline] = await store.read.faxlines.listByOwner(bob.accountId, bob.userId)
    const faxlineId = faxline?.id ?? assert.fail()
    const known = { accountId: ada.accountId, id: 'sent', userId: ada.userId, faxlineId: 'f0', sender: ada.number, recipient: bob.number }
    const sent = { ...incomingFax({ ...known, owner: undefined }, 1), direction: 'OUTGOING' } as const
    let noRoom: CapacityExceeded | undefined
    const deliver = deliverHere({ store, clock, files, mayRecord: async () => noRoom, wake: () => {} })
    const reached = { accountId: bob.accountId, faxlineId, called: bob.number }
    await assert.rejects(deliver(sent, reached), /gone/)
    await files.write({ accountId: ada.accountId, faxId: 'sent', kind: 'pages' }, new Uint8Array(3))
    noRoom = 'recording_quota_reached'
    await assert.rejects(deliver(sent, reached), /no room/)
    noRoom = undefined
    const tasks = keepFaxJobs({ store, clock, files, printer: files, wake: () => {} })
    for (let time = 0; time < 3; time++) {
      await deliver(sent, reached)
      const jobs = await store.write((tables) => tables.jobs.lease(Object.keys(tasks), clock.now(), 10, 1))
      for (const job of jobs) await tasks[job.kind]?.(job.payload, job)
    }
    const { id, type, direction, source, target, userId, connectionIds, detail } = await exchange.entry(bob)
    assert.deepEqual([type, direction, source, target], ['FAX', 'INCOMING', ada.number, bob.number])
    assert.deepEqual([userId, connectionIds], [bob.userId, [faxlineId]])
    assert.deepEqual([detail.faxStatusType, detail.pageCount, detail.papers], ['SENT', 3, ['document', 'preview']])
    assert.equal(files.namesOf({ accountId: bob.accountId, faxId: id }).length, 3)
    assert.equal((await exchange.history(ada)).length, 0, 'the sender is notified by the sending side')
  })
}
