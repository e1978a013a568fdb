import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEntry, noon } from '#test/store/an-entry.ts'
import { bothDatabases, databases, startWorld, type Person, type World } from '#test/world/world.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'

const entry = (id: string, peer: string, more: Partial<HistoryEntry> = {}): HistoryEntry =>
  anEntry(id, { source: peer, createdAt: noon + Number(id.slice(1)), ...more })

const note = (world: World, { accountId }: Person, ...entries: HistoryEntry[]) =>
  world.write(async (tables) => {
    for (const one of entries) await tables.history.insert(accountId, one)
  })

const outgoing = { direction: 'OUTGOING', source: '+4921112345678' } as const

for (const database of bothDatabases) {
  test(`${database}: searches by parts of numbers, contact names and words`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await note(
      world,
      ada,
      entry('e1', '+493013700055'),
      entry('e2', '', { ...outgoing, target: '+441372300012' }),
      entry('e3', '+4915112345678', { note: 'wants a 100% discount' }),
      entry('e4', '+4915112345678', { type: 'SMS', detail: { smsContent: 'Das Paket ist da, Grüße' } }),
      entry('e5', 'anonymous', { type: 'VOICEMAIL', detail: { transcription: 'Please call back about the invoice' } }),
    )
    await note(world, eve, entry('e9', '+493013700055', { note: 'invoice' }))
    const found = async (person: Person, search: string, more: object = {}) =>
      (await person.api.listOwnHistory({ search, ...more })).items.map(({ id }) => id)
    const expected: [string, string[]][] = [
      ['137', ['e2', 'e1']],
      ['030 137', ['e1']],
      ['0044 13', ['e2']],
      ['+44', ['e2']],
      ['55', ['e1']],
      ['5678', ['e4', 'e3']],
      ['00% disc', ['e3']],
      ['%a%', []],
      ['PAKET ist', ['e4']],
      ['GRÜSSE', []],
      ['grüße', ['e4']],
      ['invoice', ['e5']],
      ['"invoice" OR', []],
      ['nobody', []],
    ]
    for (const [search, ids] of expected) assert.deepEqual(await found(ada, search), ids, search)
    assert.deepEqual(await found(ada, '137', { sort: 'created' }), ['e1', 'e2'])
    assert.deepEqual(await found(ada, '5678', { types: ['SMS'] }), ['e4'])
    assert.deepEqual(await found(bob, '137'), [], 'who does not see an entry does not find it')
    for (const search of ['7', ' ', '%']) await assert.rejects(found(ada, search), { status: 400 }, search)

    await bob.api.createContact({}, { name: 'Jürgen Vogel', numbers: ['+493013700055'] })
    assert.deepEqual(await found(ada, 'vogel'), [], "others' contacts are theirs")
    await ada.api.createContact({}, { name: 'Zoë Weiß', numbers: ['030 13700055', '+441372300012'] })
    for (const search of ['zoe', 'ZOË', 'weiss', 'ë W']) assert.deepEqual(await found(ada, search), ['e2', 'e1'], search)
  })

  test(`${database}: pages, counts and deletes search results`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    await note(world, ada, ...Array.from({ length: 7 }, (_, n) => entry(`e${n}`, `+49301370005${n % 2}`)))
    const first = await ada.api.listOwnHistory({ search: '1370', limit: 4, sort: 'created' })
    assert.deepEqual([first.items.map(({ id }) => id), first.totalCount], [['e0', 'e1', 'e2', 'e3'], 7])
    const cursor = first.nextCursor ?? assert.fail()
    const second = await ada.api.listOwnHistory({ search: '1370', limit: 4, sort: 'created', cursor })
    assert.deepEqual([second.items.map(({ id }) => id), second.totalCount, second.nextCursor], [['e4', 'e5', 'e6'], 7, undefined])

    const third = await ada.api.listOwnHistory({ search: '1370', limit: 1, offset: 5 })
    assert.deepEqual([third.items.map(({ id }) => id), third.totalCount], [['e1'], 7])
    assert.deepEqual((await ada.api.listOwnHistory({ search: '1370', limit: 1, offset: 7 })).items, [])
    await ada.api.changeOwnHistoryEntry({ entryId: 'e0' }, { starred: true })
    const starred = await ada.api.listOwnHistory({ search: '1370', starred: true, limit: 1 })
    assert.deepEqual([starred.items.map(({ id }) => id), starred.nextCursor], [['e0'], undefined], 'the others are passed over')

    await ada.api.changeOwnHistoryEntry({ entryId: 'e1' }, { note: 'complaint' })
    assert.equal((await ada.api.listOwnHistory({ search: 'complaint' })).totalCount, 1)
    await ada.api.changeOwnHistoryEntry({ entryId: 'e1' }, { note: 'solved' })
    assert.equal((await ada.api.listOwnHistory({ search: 'complaint' })).totalCount, 0)
    await ada.api.deleteOwnHistory({ id: ['e1', 'e3', 'e5'] })
    assert.equal((await ada.api.listOwnHistory({ search: 'solved' })).totalCount, 0)
    assert.equal((await ada.api.listOwnHistory({ search: '13700051' })).totalCount, 0)
    assert.equal((await ada.api.listOwnHistory({ search: '1370' })).totalCount, 4)
  })
}

for (const database of databases) {
  test(`${database}: names callers by own contacts, shared contacts, then the account's lines`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await world.write((tables) =>
      tables.numbers.insert(ada.accountId, {
        id: 'n1',
        e164: '+4921163554447',
        type: 'LANDLINE',
        state: 'ACTIVE',
        createdAt: 0,
        endpointId: 'p1',
      }),
    )
    const caller = '+493013700055'
    await note(world, ada, entry('e1', caller, { connectionIds: ['p0', 'p1'] }))
    const sourceOf = async ({ api }: Person) => (await api.getOwnHistoryEntry({ entryId: 'e1' })).sourceContact
    assert.equal(await sourceOf(ada), undefined)
    await eve.api.createContact({}, { name: 'Not yours', numbers: [caller], shared: true })
    const shared = await bob.api.createContact({}, { name: 'Shared', numbers: [caller], shared: true })
    assert.deepEqual(await sourceOf(ada), { id: shared.id, name: 'Shared' })
    const own = await ada.api.createContact({}, { name: 'Own', numbers: [caller] })
    assert.deepEqual(await sourceOf(ada), { id: own.id, name: 'Own' })
    assert.deepEqual((await bob.api.listOwnHistory()).items[0]?.sourceContact, { id: shared.id, name: 'Shared' })
    await note(world, ada, entry('e2', caller, { target: '+4921163554447', targetAlias: '+4921163554447', connectionIds: ['p0'] }))
    const { targetContact } = await ada.api.getOwnHistoryEntry({ entryId: 'e2' })
    assert.deepEqual(targetContact, { name: 'Ada L2' }, 'a line of the account that the entry does not name')
    await ada.api.changeContact({ contactId: own.id }, { name: 'Own', numbers: ['+493013700056'] })
    assert.deepEqual(await sourceOf(ada), { id: shared.id, name: 'Shared' })
    await bob.api.deleteContact({ contactId: shared.id })
    assert.equal(await sourceOf(ada), undefined)
    const names = await world.running.deps.store.read.contacts.findNames(ada.accountId, undefined, ['+4921163554447', caller])
    assert.deepEqual(names, [{ number: '+4921163554447', name: 'Ada L2', contactId: undefined }])
  })
}

for (const database of bothDatabases)
  test(`${database}: counts unread entries of every type`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const peer = '+493013700055'
    await note(
      world,
      ada,
      entry('e1', peer),
      entry('e2', peer, { direction: 'MISSED_INCOMING' }),
      entry('e3', peer, { type: 'VOICEMAIL' }),
      entry('e4', peer, { type: 'VOICEMAIL', read: true }),
      entry('e5', peer, { type: 'SMS' }),
      entry('e6', peer, { type: 'FAX' }),
    )
    const unread = async ({ api }: Person, more: Parameters<typeof ada.api.listOwnHistory>[0]) => {
      const { items, totalCount } = await api.listOwnHistory({ read: false, limit: 1, ...more })
      return [items[0]?.id, totalCount]
    }
    assert.deepEqual(await unread(ada, {}), ['e6', 5])
    assert.deepEqual(await unread(ada, { types: ['VOICEMAIL'] }), ['e3', 1])
    assert.deepEqual(await unread(ada, { types: ['SMS', 'FAX'], directions: ['INCOMING', 'MISSED_INCOMING'] }), ['e6', 2])
    assert.deepEqual(await unread(ada, { types: ['CALL'], directions: ['MISSED_INCOMING'] }), ['e2', 1])
    assert.deepEqual(await unread(ada, { types: ['VOICEMAIL'], search: '1370' }), ['e3', 1])
    assert.deepEqual(await unread(bob, { types: ['SMS'] }), [undefined, 0], 'others see theirs')
    await ada.api.changeOwnHistoryEntry({ entryId: 'e3' }, { read: true })
    assert.deepEqual(await unread(ada, { types: ['VOICEMAIL'] }), [undefined, 0])
  })

for (const database of databases)
  test(`${database}: changes many entries in one request, and exports all as a table`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    await note(world, eve, entry('e1', '+493013700055'))
    await note(
      world,
      ada,
      ...Array.from({ length: 600 }, (_, n) => entry(`e${n}`, `+49301370005${n % 2}`, { note: n === 0 ? '=1+1' : '' })),
    )
    await ada.api.createContact({}, { name: 'Grace', numbers: ['+493013700050'] })
    const bulk = (body: Parameters<typeof ada.api.changeHistoryInBulk>[1]) => ada.api.changeHistoryInBulk({}, body)
    const ids = Array.from({ length: 500 }, (_, n) => `e${n}`)
    assert.deepEqual(await bulk({ ids: [...ids.slice(1), 'nobody'], action: 'ARCHIVE' }), { changed: 499 })
    assert.equal((await ada.api.listOwnHistory({ archived: true })).totalCount, 499)
    assert.deepEqual(await bulk({ query: { search: '13700050', archived: true }, action: 'DELETE' }), { changed: 249 })
    assert.equal((await ada.api.listOwnHistory()).totalCount, 351)
    assert.equal((await eve.api.listOwnHistory()).totalCount, 1)
    assert.deepEqual(await bulk({ query: { search: '13700050', read: false }, action: 'READ' }), { changed: 51 })
    assert.equal((await ada.api.listOwnHistory({ read: true })).totalCount, 51)
    for (const odd of [{}, { ids: ['e1'], query: {} }]) await assert.rejects(bulk({ ...odd, action: 'READ' }), { status: 400 })

    const reply = await fetch(`${world.url}/v2/history?sort=created&limit=1`, {
      headers: { accept: 'text/csv', authorization: `Bearer ${ada.token}` },
    })
    const exported = await fetch(`${world.url}/v2/history/csv?sort=created`, { headers: { authorization: `Bearer ${ada.token}` } })
    assert.equal(exported.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(await exported.text(), await reply.clone().text())
    assert.equal(await ada.api.exportHistory({ userId: ada.userId, sort: 'created' }), await reply.clone().text())
    assert.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8')
    const [head, first, ...rest] = (await reply.text()).split('\r\n')
    assert.match(head ?? '', /^Created,Type,Direction,Source,Source name/)
    assert.match(first ?? '', /,CALL,INCOMING,\+493013700050,Grace,.*,'=1\+1,$/)
    assert.equal(rest.length, 351)
  })
