import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredTimeline, TimelineChange } from '#core/kernel/ports/store/call.ts'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const entriesOf = (callId: string): string =>
  JSON.stringify([
    { kind: 'call', callId, sequence: 1, at: 1, state: 'started', from: '+4930111', to: '+4930222' },
    { kind: 'heard', callId, sequence: 2, at: 2, text: 'my secret' },
    { kind: 'sound', callId, sequence: 3, at: 3, state: 'heard', of: 'caller' },
  ])

const change = (row: Partial<StoredTimeline> & Pick<StoredTimeline, 'accountId' | 'callId' | 'startedAt'>): TimelineChange => ({
  row: {
    flowId: undefined,
    userIds: [],
    owner: 'x',
    changedAt: row.startedAt,
    lastSequence: 3,
    endedAt: row.startedAt,
    closedAt: 1,
    ...row,
  },
  isNew: true,
  rowChanged: true,
  pieces: [{ first: 1, last: 3, entries: entriesOf(row.callId) }],
})

for (const database of databases) {
  test(`${database}: finds calls of all accounts without their content, and writes the access to the audit log`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const [ada, eve] = [await world.newAccount(), await world.newAccount()]
    const numbers = { source: '+493011122', target: '+493022233' }
    await world.write((tables) =>
      tables.timelines.write([
        change({ accountId: ada.accountId, callId: 'one', startedAt: 1_000, ...numbers, endReason: 'caller_hangup' }),
        change({ accountId: ada.accountId, callId: 'two', startedAt: 2_000, ...numbers, endReason: 'failed', trunkId: 't1' }),
        change({ accountId: eve.accountId, callId: 'three', startedAt: 3_000, source: 'anonymous', target: '+4989', endReason: 'busy' }),
        change({ accountId: eve.accountId, callId: 'four', startedAt: 4_000 }),
      ]),
    )
    const found = async (query: Parameters<typeof operator.searchCalls>[0]) =>
      (await operator.searchCalls(query)).items.map(({ callId }) => callId)
    assert.deepEqual(await found({}), ['four', 'three', 'two', 'one'])
    assert.deepEqual(await found({ search: '030 222' }), ['two', 'one'])
    assert.deepEqual(await found({ search: 'three' }), ['three'])
    assert.deepEqual(await found({ reasons: ['failed', 'service_failure'] }), ['two'])
    assert.deepEqual(await found({ trunkId: 't1' }), ['two'])
    assert.deepEqual(await found({ accountId: eve.accountId }), ['four', 'three'])
    assert.deepEqual(await found({ from: new Date(2_000).toISOString(), before: new Date(4_000).toISOString() }), ['three', 'two'])
    await assert.rejects(operator.searchCalls({ search: '12' }), withCode('parameter_invalid', 'search', '3'))
    await assert.rejects(operator.searchCalls({ search: '%%%' }), { status: 400 })

    const first = await operator.searchCalls({ limit: 3 })
    assert.deepEqual(await found({ before: first.readTo ?? '' }), ['one'])

    const { entries, company, reason, trunkId } = await operator.readCall({ accountId: ada.accountId, callId: 'two' })
    assert.deepEqual([entries.map(({ kind }) => kind), reason, trunkId], [['call', 'sound'], 'failed', 't1'])
    assert.notEqual(company, '')
    await assert.rejects(operator.readCall({ accountId: eve.accountId, callId: 'two' }), { status: 404 })

    const audit = (await ada.api.listAccountAudit({})).items.map(({ action }) => action)
    assert.ok(audit.includes('call.read'), audit.join())
  })
}
