import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mailsIn, plantCall } from '#test/privacy/plant-call.ts'
import { readArchive } from '#test/privacy/read-archive.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const day = 24 * 3_600_000
const grace = '+4915112340001'
const alan = '+4915112340002'

const actionsOf = async ({ api }: Person): Promise<string[]> =>
  (await api.listAccountAudit({})).items.map(({ action }) => action).toReversed()

const aContact = ({ api }: Person, name: string, number: string) =>
  api.createContact({}, { name, numbers: [number], emails: [`${name.toLowerCase()}@planted.example`], shared: true })

const exported = async (world: World, { api }: Person, subject: Parameters<Person['api']['createDataExport']>[1]['subject']) => {
  const { id: exportId } = await api.createDataExport({}, { subject })
  await world.clock.advance(0)
  return readArchive(await api.getDataExportArchive({ exportId }))
}

const textOf = (files: Record<string, Buffer>): string => Buffer.concat(Object.values(files)).toString('latin1')

for (const database of databases) {
  test(`${database}: exports the data and files of a contact, and none of another`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const contact = await aContact(ada, 'Grace', grace)
    await aContact(ada, 'Alan', alan)
    const sound = await plantCall(world, ada, grace, 'wants a refund')
    const other = await plantCall(world, ada, alan, 'asks for the chef')
    const begun = await ada.api.createDataExport({}, { subject: { type: 'CONTACT', id: contact.id } })
    assert.deepEqual(
      [begun.state, begun.subject, begun.requestedBy],
      ['PENDING', { type: 'CONTACT', id: contact.id }, `user:${ada.userId}`],
    )
    await assert.rejects(ada.api.getDataExportArchive({ exportId: begun.id }), { status: 409, name: 'CONFLICT' })
    await world.clock.advance(0)
    const ready = await ada.api.getDataExport({ exportId: begun.id })
    const archive = await ada.api.getDataExportArchive({ exportId: begun.id })
    assert.deepEqual([ready.state, ready.bytes, ready.files], ['READY', archive.length, 1])
    const files = await readArchive(archive)
    const text = textOf(files)
    for (const planted of ['Grace', grace, 'grace@planted.example', 'wants a refund']) assert.ok(text.includes(planted), planted)
    for (const foreign of ['Alan', alan, 'alan@planted.example', 'asks for the chef']) assert.ok(!text.includes(foreign), foreign)
    const sounds = Object.entries(files).filter(([name]) => name.startsWith('files/'))
    assert.deepEqual(
      sounds.map(([, content]) => content.equals(sound)),
      [true],
    )
    assert.ok(!sounds.some(([, content]) => content.equals(other)))
    for (const [name, content] of Object.entries(files)) if (name.endsWith('.json')) JSON.parse(content.toString())
    const part = await fetch(`${world.url}/v1/privacy/exports/${begun.id}/archive`, {
      headers: { authorization: `Bearer ${ada.token}`, range: 'bytes=512-1023' },
    })
    assert.equal(part.status, 206)
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(Buffer.from(archive.subarray(512, 1024))))
    const mails = (await mailsIn(world)).join('\n')
    assert.match(mails, /Your data export is ready/)
    assert.doesNotMatch(mails, /Grace|15112340001/)
    assert.deepEqual((await actionsOf(ada)).slice(-3), ['export.request', 'export.read', 'export.read'])
    assert.doesNotMatch(JSON.stringify((await ada.api.listAccountAudit({})).items), /Grace|15112340001/)
  })

  test(`${database}: expires an export with its archive, or deletes it earlier`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const subject = { type: 'ACCOUNT' } as const
    const [first, second] = [await ada.api.createDataExport({}, { subject }), await ada.api.createDataExport({}, { subject })]
    await world.clock.advance(0)
    const fileOf = ({ id }: { id: string }): string => join(world.data, 'exports', ada.accountId, `${id}.tar`)
    assert.deepEqual([existsSync(fileOf(first)), existsSync(fileOf(second))], [true, true])
    assert.deepEqual(
      (await ada.api.listDataExports({ limit: 1 })).items.map(({ id }) => id),
      [second.id],
    )
    assert.deepEqual(
      (await ada.api.listDataExports({ after: second.id })).items.map(({ id }) => id),
      [first.id],
    )
    await ada.api.deleteDataExport({ exportId: first.id })
    assert.ok(!existsSync(fileOf(first)))
    await assert.rejects(ada.api.getDataExport({ exportId: first.id }), { status: 404 })
    assert.equal(second.expiresAt, new Date(world.clock.now() + 7 * day).toISOString())
    await world.clock.jump(7 * day)
    assert.ok(!existsSync(fileOf(second)))
    await assert.rejects(ada.api.getDataExportArchive({ exportId: second.id }), { status: 404 })
    assert.deepEqual((await ada.api.listDataExports()).items, [])
  })

  test(`${database}: lets users export their own data and administrators that of all users`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const mallory = await world.newAccount()
    const own = await exported(world, bob, { type: 'USER', id: bob.userId })
    assert.ok(textOf(own).includes(bob.email))
    assert.ok(!textOf(own).includes(ada.email))
    const [{ id: exportId } = assert.fail()] = (await bob.api.listDataExports()).items
    assert.equal((await ada.api.getDataExport({ exportId })).id, exportId, 'an administrator sees it')
    for (const subject of [{ type: 'ACCOUNT' }, { type: 'USER', id: ada.userId }, { type: 'NUMBER', id: grace }] as const)
      await assert.rejects(bob.api.createDataExport({}, { subject }), { status: 403 })
    const { id: adas } = await ada.api.createDataExport({}, { subject: { type: 'USER', id: bob.userId } })
    for (const person of [bob, mallory]) {
      await assert.rejects(person.api.getDataExport({ exportId: adas }), { status: 404 })
      await assert.rejects(person.api.getDataExportArchive({ exportId: adas }), { status: 404 })
      await assert.rejects(person.api.deleteDataExport({ exportId: adas }), { status: 404 })
    }
    assert.deepEqual((await mallory.api.listDataExports()).items, [])
    const contact = await aContact(ada, 'Grace', grace)
    await assert.rejects(mallory.api.createDataExport({}, { subject: { type: 'CONTACT', id: contact.id } }), { status: 404 })
    await assert.rejects(mallory.api.createDataExport({}, { subject: { type: 'USER', id: 'w77' } }), { status: 404 })
    const nobody = mallory.api.createDataExport({}, { subject: { type: 'NUMBER', id: grace } })
    await assert.rejects(nobody, withCode('number_not_found'))
  })
}

test("requires an id of the subject's kind", async (t) => {
  const world = await startWorld(t)
  const { api, accountId } = await world.newAccount()
  const operator = await world.operator()
  await operator.createAddress(
    {},
    { accountId, countrycode: 'DE', postcode: '10115', city: 'Berlin', street: 'Invalidenstr.', number: '1' },
  )
  await operator.assignNumber({}, { accountId, number: '+4915799900001' })
  for (const subject of [
    { type: 'USER' },
    { type: 'ACCOUNT', id: accountId },
    { type: 'NUMBER', id: '0151 12340001' },
    { type: 'NUMBER', id: '+0' },
  ] as const) {
    await assert.rejects(api.createDataExport({}, { subject }), withCode('parameter_invalid', 'subject/id'), JSON.stringify(subject))
    await assert.rejects(api.createErasure({}, { subject }), { status: 400 })
  }
  const own = { subject: { type: 'NUMBER', id: '+4915799900001' } } as const
  await assert.rejects(api.createDataExport({}, own), withCode('conflict'))
  await assert.rejects(api.createErasure({}, own), { status: 409 })
})

test('limits the concurrent exports of an account', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const subject = { type: 'USER', id: ada.userId } as const
  for (let n = 0; n < 5; n++) await ada.api.createDataExport({}, { subject })
  await assert.rejects(ada.api.createDataExport({}, { subject }), withCode('export_limit_reached'))
  const [{ id: exportId } = assert.fail()] = (await ada.api.listDataExports()).items
  await ada.api.deleteDataExport({ exportId })
  await ada.api.createDataExport({}, { subject })
})

test('retries an export while its archive cannot be written, and finally fails visibly', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const blocked = join(world.data, 'exports')
  await writeFile(blocked, '')
  const subject = { type: 'USER', id: ada.userId } as const
  const { id: exportId } = await ada.api.createDataExport({}, { subject })
  await world.clock.advance(0)
  assert.equal((await ada.api.getDataExport({ exportId })).state, 'PENDING')
  await rm(blocked)
  await world.clock.jump(60_000)
  assert.equal((await ada.api.getDataExport({ exportId })).state, 'READY')
  await rm(blocked, { recursive: true })
  await writeFile(blocked, '')
  const { id: failing } = await ada.api.createDataExport({}, { subject })
  for (let n = 0; n < 30; n++) await world.clock.jump(3_600_000)
  assert.equal((await ada.api.getDataExport({ exportId: failing })).state, 'FAILED')
  await assert.rejects(ada.api.getDataExportArchive({ exportId: failing }), { status: 409 })
})
