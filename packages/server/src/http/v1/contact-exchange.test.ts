import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { importContacts } from '#core/account/contacts/exchange/import-contacts.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { bothDatabases, databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

for (const database of databases) {
  test(`${database}: previews, imports, exports and re-imports many contacts without a change`, async (t) => {
    const world = await startWorld(t, { database })
    const { api } = await world.newAccount()
    const rows = Array.from({ length: 400 }, (_, n) => `Person ${n},0211 6355${String(n).padStart(4, '0')},p${n}@example.org`)
    const base64Content = base64(['Name,Phone,E-mail', ...rows, '=1+1,,', ',not a number,', 'Person 7,+4921163550007,'].join('\n'))
    const input = { format: 'CSV', base64Content } as const
    const tried = await api.importContacts({}, { ...input, dryRun: true })
    assert.deepEqual([tried.created, tried.merged, tried.skipped, tried.preview?.length], [401, 0, 1, 20])
    assert.deepEqual(tried.preview?.[0], { name: 'Person 0', numbers: ['+4921163550000'], emails: ['p0@example.org'], action: 'CREATED' })
    assert.deepEqual(
      tried.problems.map(({ line }) => line),
      [403, 403],
    )
    assert.equal((await api.listContacts({ limit: 1 })).totalCount, 0)
    assert.equal((await api.importContactsFromCsv({}, { base64Content })).created, 401)

    const page = await api.listContacts({ limit: 2, search: 'person 10' })
    assert.deepEqual([page.items.map(({ name }) => name), page.totalCount], [['Person 10', 'Person 100'], 11])
    const next = await api.listContacts({ limit: 2, search: 'person 10', cursor: page.nextCursor ?? '' })
    assert.deepEqual(
      next.items.map(({ name }) => name),
      ['Person 101', 'Person 102'],
    )
    assert.equal((await api.listContacts({ search: '0211/6355 0399' })).items[0]?.name, 'Person 399')
    assert.equal((await api.listContacts({ limit: 1, sort: '-name' })).items[0]?.name, 'Person 99')
    await assert.rejects(api.listContacts({ limit: 1, cursor: 'x' }), { status: 400 })

    for (const [format, given] of [
      ['VCARD', await api.exportContacts({ format: 'vcard' })],
      ['CSV', await api.exportContacts({ format: 'csv' })],
    ] as const) {
      const again = await api.importContacts({}, { format, base64Content: base64(given), duplicates: 'REPLACE' })
      assert.deepEqual(again, { created: 0, merged: 0, skipped: 401, problems: [], preview: again.preview }, format)
    }
  })

  test(`${database}: skips, merges or replaces existing contacts; finds and merges duplicates`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const { id } = await bob.api.createContact({}, { name: 'Zoë', numbers: ['+4921163550001'] })
    const take = (csv: string, duplicates: 'SKIP' | 'MERGE' | 'REPLACE') =>
      bob.api.importContacts({}, { format: 'CSV', base64Content: base64(`Name,Phone 1,Phone 2\n${csv}`), duplicates })
    const numbers = async () => (await bob.api.listContacts()).items.map((one) => `${one.name} ${one.numbers.join(' ')}`)
    assert.deepEqual((await take('zoe,0211 63550002,', 'SKIP')).skipped, 1)
    assert.deepEqual((await take('zoe,0211 63550002,', 'MERGE')).merged, 1)
    assert.deepEqual(await numbers(), ['Zoë +4921163550001 +4921163550002'])
    assert.deepEqual((await take('Zoe W,0211 63550002,', 'REPLACE')).merged, 1)
    assert.deepEqual(await numbers(), ['Zoe W +4921163550002'])

    const twin = await bob.api.createContact({}, { name: 'ZOË W', emails: ['z@example.org'] })
    const third = await bob.api.createContact({}, { name: 'Other', numbers: ['+4921163550002', '+4921163550003'] })
    const [group, ...more] = (await bob.api.listDuplicateContacts()).items
    assert.deepEqual([new Set(group?.contacts.map((one) => one.id)), more], [new Set([id, twin.id, third.id]), []])
    assert.deepEqual((await ada.api.listDuplicateContacts()).items, [])
    await assert.rejects(ada.api.mergeContacts({}, { ids: [id, twin.id] }), { status: 404 })
    const merged = await bob.api.mergeContacts({}, { ids: [id, twin.id, third.id] })
    assert.deepEqual([merged.id, merged.numbers, merged.emails], [id, ['+4921163550002', '+4921163550003'], ['z@example.org']])
    assert.equal((await bob.api.listContacts()).items.length, 1)
    for (const content of ['nothing here', '\0\0\0', 'colour\nred'])
      await assert.rejects(bob.api.importContacts({}, { format: 'CSV', base64Content: base64(content) }), { status: 400 }, content)
  })

  test(`${database}: exports no formula, not even one that looks like a phone number`, async (t) => {
    const world = await startWorld(t, { database })
    const { api } = await world.newAccount()
    await api.createContact({}, { name: "+1+cmd|'/C calc'!A0", numbers: ['+4921163550001'] })
    const [, row] = (await api.exportContacts({ format: 'csv' })).split('\r\n')
    assert.equal(row, "'+1+cmd|'/C calc'!A0,+4921163550001,")
    const base64Content = Buffer.from(await api.exportContacts({ format: 'csv' })).toString('base64')
    await api.importContacts({}, { format: 'CSV', base64Content })
    assert.deepEqual(
      (await api.listContacts()).items.map(({ name }) => name),
      ["+1+cmd|'/C calc'!A0"],
      'it is recognised as the same',
    )
  })

  test(`${database}: rejects hostile files, or imports them without the hostile part`, async (t) => {
    const world = await startWorld(t, { database })
    const { api } = await world.newAccount()
    const take = (format: 'VCARD' | 'CSV', content: string | Buffer) =>
      api.importContacts({}, { format, base64Content: Buffer.from(content).toString('base64') })
    const card = (...lines: string[]): string => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\n')
    for (const [format, content] of [
      ['VCARD', 'BEGIN:VCARD\nFN:never ends\n'],
      ['VCARD', Buffer.from([0x42, 0, 1, 2])],
      ['CSV', '"'.repeat(100_000)],
      ['CSV', Buffer.from([0xff, 0xfe, 0, 0xd8, 0, 0])],
    ] as const)
      await assert.rejects(take(format, content), { status: 400 }, String(content).slice(0, 40))
    await assert.rejects(take('VCARD', card('FN:Many').repeat(20_001)), { status: 409 })
    assert.deepEqual((await api.listContacts()).items, [])

    const quoted = (name: string, value: string): string => `${name};ENCODING=QUOTED-PRINTABLE:${value}`
    const hidden = card(quoted('FN', 'Zero=00=1B[2J'), quoted('TEL', '+49211=006355'), quoted('EMAIL', 'a=00@example.org'))
    const { created, problems } = await take('VCARD', hidden + card(...Array.from({ length: 500 }, (_, n) => `TEL:no ${n}`), 'FN:Loud'))
    assert.deepEqual([created, problems.length], [2, 22])
    const wide = Buffer.from('\uFEFFName\tTelefon\nJ\0ürgen\t0211 6355000\n', 'utf16le')
    assert.equal((await take('CSV', wide)).created, 1)
    assert.deepEqual(
      (await api.listContacts()).items.map(({ name, numbers, emails }) => [name, numbers, emails]),
      [
        ['J ürgen', ['+492116355000'], []],
        ['Loud', [], []],
        ['Zero  [2J', [], []],
      ],
    )
  })

  test(`${database}: rejects files with too long lines or too many rows without blocking other requests`, async (t) => {
    const world = await startWorld(t, { database })
    const { api } = await world.newAccount()
    const bob = await world.newAccount()
    const refused = async (format: 'VCARD' | 'CSV', content: string, code: ErrorCode, ...named: string[]) => {
      const taken = api.importContacts({}, { format, base64Content: base64(content) })
      await Promise.all([assert.rejects(taken, withCode(code, ...named)), bob.api.getAccount()])
    }
    await refused('VCARD', `BEGIN:VCARD\nFN:${'\\'.repeat(4_900_000)}\nEND:VCARD\n`, 'file_unreadable', '2', '32768')
    await refused('CSV', `Name\n${'a\n'.repeat(2_450_000)}`, 'contact_limit_reached', '20000')
    await refused('CSV', `Name\n${'\n'.repeat(5_000_000)}`, 'file_unreadable')
    assert.deepEqual((await api.listContacts()).items, [])
  })
}

for (const database of bothDatabases) {
  test(`${database}: imports, exports and compares thousands of contacts in slices`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, accountId, userId } = await world.newAccount()
    const caller = { kind: 'user', accountId, userId, admin: true } as unknown as UserCaller
    const { store } = world.running.deps
    let turns = 0
    const breathe = async () => void turns++
    const rows = Array.from({ length: 3_000 }, (_, n) => `Same,+49211635${String(10_000 + n)},+49211645${String(10_000 + n)}`)
    const base64Content = base64(['Name,Phone 1,Phone 2', ...rows].join('\n'))
    const parts = { store, clock: world.clock, newId: randomUUID, breathe }
    const outcome = await importContacts(parts, caller, { format: 'CSV', base64Content, duplicates: 'SKIP' })
    assert.deepEqual([outcome.created, outcome.skipped], [1, 2_999])
    const others = base64(['Name,Phone 1', ...rows.map((row, n) => row.replace('Same', `Person ${n}`))].join('\n'))
    assert.equal((await importContacts(parts, caller, { format: 'CSV', base64Content: others })).created, 2_999)
    // At least one turn per 100 numbers read, and one per transaction.
    assert.ok(turns > 9_000 / 100 + 2_999 / 200, String(turns))
    const exported = await api.exportContacts({ format: 'csv' })
    assert.equal(exported.split('\r\n').length, 3_002)
    const twins = Array.from({ length: 2_000 }, (_, n) => ({
      id: `twin${n}`,
      owner: userId,
      shared: false,
      name: 'Twin',
      emails: [],
      numbers: [],
    }))
    await world.write(({ contacts }) => contacts.insert(accountId, twins, 0))
    const [group, ...more] = (await api.listDuplicateContacts()).items
    assert.deepEqual([group?.contacts.length, more.length], [20, 0])
  })
}

for (const database of databases) {
  test(`${database}: searches contacts, numbers, flows, devices, users and calls that the token may read`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await ada.api.createContact({}, { name: 'Grace Hopper', numbers: ['+4921163550001'], shared: true })
    const kinds = async (person: typeof ada, q: string) =>
      (await person.api.search({ q })).items.map(({ kind, title }) => `${kind} ${title}`)
    assert.deepEqual(await kinds(ada, 'hop'), ['CONTACT Grace Hopper'])
    assert.deepEqual(await kinds(bob, '3550001'), ['CONTACT Grace Hopper'])
    assert.deepEqual(await kinds(eve, 'hop'), [])
    const [name] = ada.email.split('@')
    assert.ok((await kinds(ada, name ?? '')).some((one) => one.startsWith('USER')))
    assert.deepEqual(
      (await kinds(bob, name ?? '')).filter((one) => one.startsWith('USER')),
      [],
    )
    await assert.rejects(ada.api.search({ q: '7' }), { status: 400 })
  })
}
