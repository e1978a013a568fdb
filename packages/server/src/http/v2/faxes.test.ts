import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { incomingFax } from '#core/messages/fax/state/new-fax.ts'
import type { HistoryEntry, Paper } from '#core/kernel/ports/store/call.ts'

const contents = { document: '%PDF-1.4 the document', report: '%PDF-1.4 the report', preview: 'PNG' } as const

/** A fax received by this person's line, with these files. */
const addFax = async (world: World, person: Person, papers: readonly Paper[], more: Partial<HistoryEntry> = {}): Promise<string> => {
  const { accountId, userId } = person
  const id = randomUUID()
  const at = world.clock.now()
  const [line] = (await person.api.listFaxlines({ userId })).items
  const faxlineId = line?.id ?? assert.fail('no fax line')
  const names = { source: '+4915112345678', target: '+4921112345678', sourceAlias: '', targetAlias: '' }
  const marks = { read: false, archived: false, starred: false, note: '', labels: [] }
  const what = { type: 'FAX', direction: 'INCOMING', status: 'PICKUP' } as const
  const entry = { id, sessionId: id, userId, ...what, ...names, ...marks, createdAt: at, modifiedAt: at }
  await world.write(async (tables) => {
    const fax = incomingFax({ accountId, id, userId, faxlineId, sender: names.source, recipient: names.target, owner: undefined }, at)
    await tables.faxes.insert({ ...fax, state: 'RECEIVED', pages: 1 })
    await tables.history.insert(accountId, { ...entry, connectionIds: [faxlineId], endpoints: [], detail: { papers }, ...more })
  })
  const { faxFiles } = world.running.deps
  for (const kind of papers) await faxFiles.write({ accountId, faxId: id, kind }, Buffer.from(contents[kind]))
  return id
}

const isThere = async (world: World, accountId: string, faxId: string): Promise<boolean> => {
  for await (const one of world.running.deps.faxFiles.list()) if (one.accountId === accountId && one.faxId === faxId) return true
  return false
}

for (const database of databases) {
  test(`${database}: returns links to a fax, valid for 15 minutes and for the requesting user`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const id = await addFax(world, ada, ['document', 'report', 'preview'])
    const { documentUrl, reportUrl, previewUrl } = await ada.api.getHistoryEntry({ userId: ada.userId, entryId: id })
    const found = { document: documentUrl, report: reportUrl, preview: previewUrl }
    for (const [paper, url] of Object.entries(found) as [Paper, string][]) {
      const reply = await fetch(url)
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('content-type'), paper === 'preview' ? 'image/png' : 'application/pdf')
      const way = paper === 'preview' ? 'inline' : 'attachment'
      assert.match(reply.headers.get('content-disposition') ?? '', new RegExp(`^${way}; filename="fax-${paper}-[\\dTZ-]+\\.p(df|ng)"$`))
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
      assert.equal(await reply.text(), contents[paper])
    }
    const url = documentUrl ?? assert.fail()
    const part = await fetch(url, { headers: { range: 'bytes=0-3' } })
    assert.deepEqual([part.status, await part.text()], [206, '%PDF'])
    for (const changed of [
      url.replace('/document', '/report'),
      url.replace(id, randomUUID()),
      `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
    ])
      assert.equal((await fetch(changed)).status, 403, changed)
    assert.equal((await fetch(url.split('?')[0] ?? '')).status, 401)
    assert.equal(Buffer.from(await ada.api.getFaxDocument({ faxId: id })).toString(), contents.document)
    await world.clock.jump(15 * 60_000)
    assert.equal((await fetch(url)).status, 403)
    const { read } = world.running.deps.store
    const audit = (await read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })).filter(({ action }) => action === 'fax.read')
    assert.equal(audit.length, 5)
  })

  test(`${database}: answers 404 for missing, forbidden and foreign faxes`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const id = await addFax(world, ada, ['document'])
    const bobs = await addFax(world, bob, ['document'])
    const missing = (work: Promise<unknown>) => assert.rejects(work, withCode('fax_not_found'))
    await missing(ada.api.getFaxReport({ faxId: id }))
    await missing(ada.api.getFaxDocument({ faxId: randomUUID() }))
    await missing(eve.api.getFaxDocument({ faxId: id }))
    await missing(bob.api.getFaxDocument({ faxId: id }))
    assert.ok(await ada.api.getFaxDocument({ faxId: bobs }), 'administrators may')
    const { documentUrl } = await bob.api.getHistoryEntry({ userId: bob.userId, entryId: bobs })
    await bob.api.deleteHistoryEntry({ userId: bob.userId, entryId: bobs })
    await world.running.idle()
    assert.equal(await isThere(world, ada.accountId, bobs), false, 'the files go with the entry')
    assert.equal(await world.running.deps.store.read.faxes.find(ada.accountId, bobs), undefined)
    assert.equal((await fetch(documentUrl ?? assert.fail())).status, 404)
    assert.equal(await isThere(world, ada.accountId, id), true)
  })

  test(`${database}: shows a group's fax to its current members`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId } = ada
    const [bob, eve] = [await world.newUser(accountId), await world.newUser(accountId)]
    const faxlineId = await world.write(async (tables) => {
      const input = { alias: 'Sales', strategy: 'PARALLEL', ringSeconds: 20, departmentId: undefined, at: 1 } as const
      const owner = await tables.groups.create(accountId, input)
      await tables.groups.replaceMembers(accountId, owner, [bob.userId])
      return tables.faxlines.create(accountId, { owner, alias: 'Sales', at: 1 })
    })
    const id = await addFax(world, ada, ['document'], { userId: undefined, connectionIds: [faxlineId] })
    const [seen] = (await bob.api.listOwnHistory({ types: ['FAX'] })).items
    assert.deepEqual([seen?.id, (await eve.api.listOwnHistory({ types: ['FAX'] })).items], [id, []])
    const url = seen?.documentUrl ?? assert.fail('no address')
    assert.equal((await fetch(url)).status, 200)
    await assert.rejects(eve.api.getFaxDocument({ faxId: id }), { status: 404 })
    await world.write((tables) => tables.groups.removeMember(accountId, bob.userId))
    assert.equal((await fetch(url)).status, 403)
    await assert.rejects(bob.api.getFaxDocument({ faxId: id }), { status: 404 })
  })
}
