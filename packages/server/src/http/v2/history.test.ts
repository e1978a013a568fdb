import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEntry, noon } from '#test/store/an-entry.ts'
import { bothDatabases, databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import type { HistoryEntry, HistoryEntryChange } from '#core/kernel/ports/store/call.ts'

const entry = (id: string, more: Partial<HistoryEntry> = {}): HistoryEntry => anEntry(id, { targetAlias: 'Desk', ...more })

const note = (world: World, { accountId }: Person, ...entries: HistoryEntry[]) =>
  world.write(async (tables) => {
    for (const one of entries) assert.equal(await tables.history.insert(accountId, one), true)
  })

/** e11, e10, …: newest first. */
const byAge = (one: string, other: string): number => Number(other.slice(1)) - Number(one.slice(1))

for (const database of databases) {
  test(`${database}: returns only the fields of an entry's type`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const internal = { path: '/secret' } as object
    await note(
      world,
      ada,
      entry('c1', {
        detail: {
          duration: 83,
          callStatus: 'SUCCESS',
          recordings: [{ id: 'r1' }, { id: 'r2', truncated: true }],
          smsContent: 'no',
          ...internal,
        },
        endpoints: [{ type: 'ROUTED', extension: 'p0', kind: 'PHONELINE' }],
        labels: ['vip'],
      }),
      entry('v1', {
        type: 'VOICEMAIL',
        direction: 'MISSED_INCOMING',
        status: 'NOPICKUP',
        detail: {
          transcription: 'Hi',
          recordings: [{ id: 'account/v.wav', url: '/v2/recordings/account/v.wav' } as { id: string }],
          duration: 4,
        },
      }),
      entry('f1', {
        type: 'FAX',
        direction: 'OUTGOING',
        detail: { faxStatusType: 'SCHEDULED', papers: ['document', 'report', 'preview'], pageCount: 2, scheduledAt: noon },
      }),
      entry('m1', { type: 'SMS', direction: 'MISSED_OUTGOING', detail: { smsContent: 'Hello', duration: 1 } }),
    )
    const common = {
      source: '+4915112345678',
      target: '+4921112345678',
      sourceAlias: '',
      targetAlias: 'Desk',
      status: 'PICKUP',
      connectionIds: ['p0'],
      created: '2026-02-10T12:00:00.000Z',
      lastModified: '2026-02-10T12:00:00.000Z',
      read: false,
      archived: false,
      starred: false,
      note: '',
      endpoints: [],
      labels: [],
    }
    const get = (entryId: string) => ada.api.getHistoryEntry({ userId: 'w0', entryId })
    const link = (id: string) => world.running.deps.recordingLinks.make(ada.accountId, ada.userId, id)
    assert.deepEqual(await get('c1'), {
      ...common,
      id: 'c1',
      type: 'CALL',
      direction: 'INCOMING',
      incoming: true,
      callId: 's-c1',
      duration: 83,
      callStatus: 'SUCCESS',
      recordings: [
        { id: 'r1', url: link('r1') },
        { id: 'r2', url: link('r2'), truncated: true },
      ],
      recordingUrl: link('r1'),
      labels: ['vip'],
      endpoints: [
        {
          type: 'ROUTED',
          endpoint: {
            extension: 'p0',
            type: 'PHONELINE',
          },
        },
      ],
    })
    assert.deepEqual(await get('v1'), {
      ...common,
      id: 'v1',
      type: 'VOICEMAIL',
      direction: 'MISSED_INCOMING',
      incoming: true,
      status: 'NOPICKUP',
      callId: 's-v1',
      transcription: 'Hi',
      recordings: [{ id: 'v', url: link('v') }],
      recordingUrl: link('v'),
      duration: 4,
    })
    const papers = world.running.deps.faxLinks.make(ada, entry('f1', { detail: { papers: ['document', 'report', 'preview'] } }))
    assert.deepEqual(Object.keys(papers), ['documentUrl', 'reportUrl', 'previewUrl'])
    assert.deepEqual(await get('f1'), {
      ...common,
      id: 'f1',
      type: 'FAX',
      direction: 'OUTGOING',
      incoming: false,
      faxStatusType: 'SCHEDULED',
      ...papers,
      pageCount: 2,
      scheduled: '2026-02-10T12:00:00.000Z',
    })
    assert.deepEqual(await get('m1'), {
      ...common,
      id: 'm1',
      type: 'SMS',
      direction: 'MISSED_OUTGOING',
      incoming: false,
      smsContent: 'Hello',
    })
    assert.deepEqual(await ada.api.getHistoryEntryV1({ userId: 'w0', entryId: 'm1' }), await get('m1'))
    assert.equal(await world.write((tables) => tables.history.insert(ada.accountId, entry('again', { sessionId: 's-c1' }))), false)
    assert.equal(await world.write((tables) => tables.history.insert(ada.accountId, entry('c1', { sessionId: 'other' }))), false)
    const eve = await world.newAccount()
    assert.equal(await world.write((tables) => tables.history.insert(eve.accountId, entry('c1'))), true, 'the other side of the same call')
  })
}

for (const database of bothDatabases) {
  test(`${database}: lists newest first, in pages, with every filter`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    await note(world, eve, entry('foreign'))
    const minutes = (n: number) => ({ createdAt: noon + n * 60_000 })
    await note(
      world,
      ada,
      entry('a', { ...minutes(0), starred: true }),
      entry('c', { ...minutes(1), type: 'FAX', direction: 'OUTGOING', connectionIds: ['f0'], archived: true }),
      entry('b', { ...minutes(1), direction: 'MISSED_INCOMING', connectionIds: ['p0', 'v0'] }),
      entry('d', {
        ...minutes(2),
        type: 'SMS',
        direction: 'OUTGOING',
        source: '+4921112345678',
        target: '+4917012345678',
        connectionIds: ['s0'],
      }),
      entry('e', { ...minutes(3), source: 'anonymous', connectionIds: ['p00', 'p10'] }),
    )
    const ids = async (query: object = {}) => {
      const { items, totalCount } = await ada.api.listHistory({ userId: 'w0', ...query })
      assert.deepEqual((await ada.api.listHistoryV1({ userId: 'w0', ...query })).items, items)
      return `${items.map(({ id }) => id).join('')} ${totalCount}`
    }
    assert.equal(await ids(), 'edcba 5')
    assert.equal(await ids({ limit: 2 }), 'ed 5')
    assert.equal(await ids({ limit: 2, offset: 2 }), 'cb 5')
    assert.equal(await ids({ offset: 5 }), ' 5')
    assert.equal(await ids({ types: ['CALL'] }), 'eba 3')
    assert.equal(await ids({ types: 'FAX' }), 'c 1')
    assert.equal(await ids({ types: ['FAX', 'SMS'], directions: ['OUTGOING'] }), 'dc 2')
    assert.equal(await ids({ directions: ['MISSED_INCOMING', 'MISSED_OUTGOING'] }), 'b 1')
    assert.equal(await ids({ archived: true }), 'c 1')
    assert.equal(await ids({ archived: false, starred: false }), 'edb 3')
    assert.equal(await ids({ starred: true }), 'a 1')
    assert.equal(await ids({ starred: 'STARRED' }), 'a 1')
    assert.equal(await ids({ starred: 'UNSTARRED', archived: false }), 'edb 3')
    assert.equal(await ids({ from: '2026-02-10T12:01:00Z' }), 'edcb 4', 'the beginning belongs to it')
    assert.equal(await ids({ from: '2026-02-10T13:01:00+01:00', to: '2026-02-10T12:02:00Z' }), 'dcb 3', 'and the end')
    assert.equal(await ids({ to: '2026-02-09' }), ' 0')
    assert.equal(await ids({ from: '2026-02-10', to: '2026-02-10' }), 'edcba 5')
    assert.equal(await ids({ phonenumber: '0170 12345678' }), 'd 1')
    assert.equal(await ids({ phonenumber: '+4921112345678' }), 'edcba 5', 'source or target')
    assert.equal(await ids({ phonenumber: 'anonymous' }), 'e 1')
    assert.equal(await ids({ phonenumber: "' or 1=1 --" }), ' 0')
    assert.equal(await ids({ connectionIds: ['v0', 's0'] }), 'db 2')
    assert.equal(await ids({ connectionIds: ['p1'] }), ' 0', 'p1 is not p10')
    assert.equal(await ids({ phonelineId: 'p0' }), 'ba 2')
    assert.equal(await ids({ phonelineId: 'p0', connectionIds: ['v0'] }), 'b 1')
    assert.equal(await ids({ callId: 's-b' }), 'b 1')
    assert.equal(await ids({ callId: 's-c' }), 'c 1', 'whatever came of it')
    assert.equal(await ids({ callId: 's-c', types: ['CALL'] }), ' 0')
    assert.equal(await ids({ callId: 's-foreign' }), ' 0')

    const refused: [object, string][] = [
      [{ limit: 0 }, 'limit'],
      [{ limit: 1001 }, 'limit'],
      [{ limit: 'ten' }, 'limit'],
      [{ offset: -1 }, 'offset'],
      [{ types: ['CALL', 'FOO'] }, 'types/1'],
      [{ directions: 'SIDEWAYS' }, 'directions/0'],
      [{ starred: 'maybe' }, 'starred'],
      [{ from: 'yesterday' }, 'from'],
      [{ to: '2026-02-30' }, 'to'],
      [{ from: '2026-02-11', to: '2026-02-10' }, 'from'],
      [{ connectionIds: ['%'] }, 'connectionIds/0'],
      [{ phonelineId: 'p_' }, 'phonelineId'],
      [{ phonenumber: '\0' }, 'phonenumber'],
      [{ callId: '' }, 'callId'],
    ]
    for (const [query, field] of refused)
      await assert.rejects(ada.api.listHistory({ userId: 'w0', ...query }), withCode('parameter_invalid', field), JSON.stringify(query))
    assert.equal(await ids({ limit: 1000 }), 'edcba 5')
    await note(world, ada, ...Array.from({ length: 11 }, (_, n) => entry(`x${n}`, { createdAt: noon + 86_400_000 })))
    assert.equal((await ada.api.listHistory({ userId: 'w0' })).items.length, 10, 'ten unless told')
  })

  test(`${database}: repeats and misses no entry between cursor pages when entries are added or removed`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    // Two per time, so that the time alone does not locate the end of a page.
    const there = Array.from({ length: 12 }, (_, n) => entry(`e${n}`, { createdAt: noon + Math.floor(n / 2), starred: n % 3 === 0 }))
    await note(world, ada, ...there)
    const read = async (query: object): Promise<string[]> => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await ada.api.listHistory({ userId: 'w0', limit: 2, ...query, ...(cursor !== undefined && { cursor }) })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
        if (seen.length === 2) {
          await note(world, ada, entry(`new${there.length}`, { createdAt: noon + 100, starred: true }))
          there.push(entry('counted'))
          const last = seen.at(-1) ?? assert.fail()
          await ada.api.changeHistoryEntry({ userId: 'w0', entryId: last }, { note: 'seen' })
        }
      } while (cursor !== undefined)
      return seen
    }
    assert.deepEqual(await read({}), ['e9', 'e8', 'e7', 'e6', 'e5', 'e4', 'e3', 'e2', 'e11', 'e10', 'e1', 'e0'].toSorted(byAge))
    const starred = await read({ starred: true, types: 'CALL', phonenumber: '+4915112345678', connectionIds: 'p0' })
    assert.deepEqual(starred, ['new12', 'e9', 'e6', 'e3', 'e0'])
    const first = await ada.api.listHistory({ userId: 'w0', limit: 3 })
    await ada.api.deleteHistoryEntry({ userId: 'w0', entryId: first.items.at(-1)?.id ?? '' })
    const rest = await ada.api.listHistoryV1({ userId: 'w0', limit: 1000, cursor: first.nextCursor ?? '' })
    assert.equal(rest.items.length, 11, 'the place of an entry that is gone is still a place')
    assert.equal(rest.nextCursor, undefined)
    const { totalCount } = await ada.api.listHistory({ userId: 'w0', limit: 3, cursor: first.nextCursor ?? '' })
    assert.equal(totalCount, first.totalCount, 'counted once, with the first page')
    for (const cursor of ['', 'x', Buffer.from('1 ').toString('base64url'), Buffer.from('a b').toString('base64url')])
      await assert.rejects(ada.api.listHistory({ userId: 'w0', cursor }), withCode('parameter_invalid', 'cursor'))
    await assert.rejects(
      ada.api.listHistory({ userId: 'w0', cursor: first.nextCursor ?? '', offset: 1 }),
      withCode('parameter_invalid', 'offset'),
    )
  })
}

for (const database of databases) {
  test(`${database}: shows users only their own entries`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await ada.api.createGroup({}, { alias: 'Sales', members: ['w1'], faxline: true })
    await note(
      world,
      ada,
      entry('adas'),
      entry('bobs', { userId: 'w1', connectionIds: [] }),
      entry('line', { userId: undefined, connectionIds: ['p1'] }),
      entry('both', { connectionIds: ['p0', 'p1'] }),
      entry('group', { userId: undefined, connectionIds: ['g0'] }),
      entry('groupfax', { userId: undefined, connectionIds: ['f2'] }),
      entry('groupvoice', { userId: undefined, connectionIds: ['v2'] }),
      entry('nobodys', { userId: undefined, connectionIds: ['p7'] }),
    )
    const seen = async (person: Person, userId: string) =>
      (await person.api.listHistory({ userId })).items
        .map(({ id }) => id)
        .toSorted()
        .join(' ')
    assert.equal(await seen(bob, 'w1'), 'bobs both group groupfax groupvoice line')
    assert.equal(await seen(ada, 'w1'), 'bobs both group groupfax groupvoice line', 'an administrator, by the name of the user')
    assert.equal(await seen(ada, 'w0'), 'adas both')
    assert.equal(await seen(eve, 'w0'), '')
    assert.deepEqual(await bob.api.listOwnHistory({ limit: 3 }), await bob.api.listHistory({ userId: 'w1', limit: 3 }))
    assert.deepEqual(
      (await ada.api.listOwnHistory()).items.map(({ id }) => id),
      ['both', 'adas'],
      'the own one, also for an administrator',
    )
    assert.equal((await ada.api.getOwnHistoryEntry({ entryId: 'adas' })).id, 'adas')
    await assert.rejects(bob.api.getOwnHistoryEntry({ entryId: 'adas' }), { status: 404 })
    await assert.rejects(ada.api.getOwnHistoryEntry({ entryId: 'bobs' }), { status: 404 })
    await assert.rejects(bob.api.listHistory({ userId: 'w0' }), { status: 403 })
    await assert.rejects(bob.api.getHistoryEntry({ userId: 'w1', entryId: 'adas' }), withCode('history_entry_not_found'))
    await assert.rejects(bob.api.changeHistoryEntry({ userId: 'w1', entryId: 'adas' }, { read: true }), { status: 404 })
    await assert.rejects(bob.api.deleteHistoryEntry({ userId: 'w1', entryId: 'adas' }), { status: 404 })
    await assert.rejects(eve.api.getHistoryEntryV1({ userId: 'w0', entryId: 'adas' }), { status: 404 })
    await assert.rejects(eve.api.deleteHistoryEntryV1({ userId: 'w0', entryId: 'adas' }), { status: 404 })

    await world.write(({ history }) => history.update(ada.accountId, 'both', { userId: 'w1', connectionIds: ['p1'] }, noon))
    assert.equal(await seen(ada, 'w0'), 'adas', 'whose it is follows the entry')
    await world.write(({ history }) => history.update(ada.accountId, 'nobodys', { connectionIds: ['p7', 'p0'] }, noon))
    assert.equal(await seen(ada, 'w0'), 'adas nobodys')
    await ada.api.deleteHistoryEntry({ userId: 'w0', entryId: 'adas' })
    await note(world, ada, entry('adas', { userId: undefined, connectionIds: ['p7'] }))
    assert.equal(await seen(ada, 'w0'), 'nobodys', 'of a deleted entry nothing remains')
  })

  test(`${database}: marks, annotates and deletes entries`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    await note(world, ada, entry('c1', { detail: { duration: 5 } }), entry('c2'))
    const named = { userId: 'w0', entryId: 'c1' }
    await ada.api.changeHistoryEntry(named, { read: true, starred: true, note: 'call back', labels: ['vip', 'de'] })
    await ada.api.changeHistoryEntryV1(named, { archived: true, labels: ['vip'] })
    const changed = await ada.api.getHistoryEntry(named)
    assert.deepEqual(
      [changed.read, changed.archived, changed.starred, changed.note, changed.labels],
      [true, true, true, 'call back', ['vip']],
    )
    assert.deepEqual([changed.duration, changed.created], [5, '2026-02-10T12:00:00.000Z'])
    assert.equal(changed.lastModified, new Date(world.clock.now()).toISOString())
    assert.equal((await ada.api.getHistoryEntry({ userId: 'w0', entryId: 'c2' })).read, false)
    await assert.rejects(ada.api.changeHistoryEntry(named, { note: 'x'.repeat(2001) }), withCode('parameter_invalid', 'note'))
    await assert.rejects(ada.api.changeHistoryEntry(named, { source: 'x' } as object), withCode('parameter_invalid', 'source'))
    const later: HistoryEntryChange = { status: 'BUSY', detail: { callStatus: 'BUSY' }, userId: undefined }
    assert.equal(await world.write((tables) => tables.history.update(ada.accountId, 'c1', later, noon)), true)
    assert.equal(await world.write((tables) => tables.history.update(ada.accountId, 'c9', { read: true }, noon)), false)
    assert.deepEqual((await ada.api.getHistoryEntry(named)).callStatus, 'BUSY')
    await ada.api.deleteHistoryEntry(named)
    await assert.rejects(ada.api.deleteHistoryEntry(named), { status: 404 })
    await ada.api.deleteHistoryEntryV1({ userId: 'w0', entryId: 'c2' })
    assert.equal((await ada.api.listHistory({ userId: 'w0' })).totalCount, 0)
  })
}

test('changes and deletes several own entries together, or none', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await note(world, ada, entry('a'), entry('b'), entry('c'), entry('hers', { userId: 'w9', connectionIds: [] }))
  const change = (...items: { id: string; read?: boolean; note?: string; starred?: boolean }[]) => ada.api.changeOwnHistory({}, { items })
  await change({ id: 'a', read: true }, { id: 'b', note: 'Call back', starred: true })
  await ada.api.changeOwnHistoryEntry({ entryId: 'c' }, { archived: true })
  const marks = async () =>
    Object.fromEntries((await ada.api.listOwnHistory()).items.map((one) => [one.id, [one.read, one.starred, one.archived, one.note]]))
  const expected = { a: [true, false, false, ''], b: [false, true, false, 'Call back'], c: [false, false, true, ''] }
  assert.deepEqual(await marks(), expected)
  for (const id of ['hers', 'nowhere']) {
    await assert.rejects(change({ id: 'a', read: false }, { id, read: true }), { status: 404 })
    await assert.rejects(ada.api.deleteOwnHistory({ id: ['a', id] }), { status: 404 })
  }
  assert.deepEqual(await marks(), expected)
  const many = Array.from({ length: 150 }, (_, n) => `e${n}`)
  await assert.rejects(ada.api.deleteOwnHistory({ id: many }), { status: 400 })
  await assert.rejects(change(...many.map((id) => ({ id, read: true }))), { status: 400 })
  await assert.rejects(change(), withCode('parameter_invalid', 'items', '1'))
  await ada.api.changeOwnHistory({}, [{ id: 'a', read: false }])
  await ada.api.changeOwnHistory({}, [])
  assert.deepEqual(await marks(), { ...expected, a: [false, false, false, ''] }, 'the bare list')
  const bare = (...list: object[]) => ada.api.changeOwnHistory({}, list as { id: string }[])
  await assert.rejects(bare({ id: 'a', colour: 'red' }), withCode('parameter_invalid', '0/colour'))
  await assert.rejects(bare(...many.map((id) => ({ id }))), withCode('parameter_invalid', 'body', '149'))
  await assert.rejects(ada.api.changeOwnHistory({}, 'all' as never), withCode('parameter_invalid', 'body'))
  await ada.api.deleteOwnHistory({ id: ['a', 'b', 'a'] })
  await ada.api.deleteOwnHistoryEntry({ entryId: 'c' })
  assert.deepEqual(await marks(), {})
})

test('shows calls of assistants to administrators, not to users', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const { id } = await ada.api.createFlow({}, { name: 'Reception' })
  await note(world, ada, entry('f1', { userId: undefined, connectionIds: [id] }))
  assert.equal((await ada.api.listOwnHistory({})).totalCount, 1)
  assert.equal((await bob.api.listOwnHistory({})).totalCount, 0)
})
