import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SavedCall } from '#core/kernel/ports/store/call.ts'
import { mailsIn, plantCall } from '#test/privacy/plant-call.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const minute = 60_000
const day = 24 * 60 * minute
const grace = '+4915112340001'

const stateOf = async ({ api }: Person, { id: erasureId }: { id: string }): Promise<string> => (await api.getErasure({ erasureId })).state

/** A call that is running according to the store. */
const aCall = ({ accountId, userId }: Person, number: string): SavedCall => {
  const side = { accountId, userId, source: { number, alias: '' }, target: { number: '+4930100', alias: '' } }
  const snapshot = { startedAt: 1, sides: [side], meters: [], recordings: [], dialogs: [] }
  return { callId: 'running', owner: 'elsewhere', epoch: 1, startedAt: 1, savedAt: 1, snapshot }
}

const schedule = (person: Person, id: string, graceDays = 1, type: 'USER' | 'CONTACT' | 'NUMBER' = 'USER') =>
  person.api.createErasure({}, { subject: { type, id }, graceDays })

/** A user is disabled first and erased a minute later. */
const runOut = async (world: World, days: number): Promise<void> => {
  await world.clock.jump(days * day)
  await world.clock.jump(minute)
}

for (const database of databases) {
  test(`${database}: waits for the grace period before an erasure, which can be cancelled`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const erasure = await ada.api.createErasure({}, { subject: { type: 'USER', id: bob.userId } })
    assert.deepEqual([erasure.state, erasure.subject], ['SCHEDULED', { type: 'USER', id: bob.userId }])
    assert.equal(erasure.dueAt, new Date(world.clock.now() + 7 * day).toISOString())
    await assert.rejects(schedule(ada, bob.userId), withCode('erasure_pending'))
    await world.clock.jump(7 * day - 1)
    assert.equal(await stateOf(ada, erasure), 'SCHEDULED')
    await bob.api.getUser({ userId: bob.userId })
    await ada.api.cancelErasure({ erasureId: erasure.id })
    await assert.rejects(ada.api.cancelErasure({ erasureId: erasure.id }), withCode('erasure_not_cancellable'))
    await runOut(world, 1)
    const cancelled = await ada.api.getErasure({ erasureId: erasure.id })
    assert.deepEqual([cancelled.state, cancelled.subject, cancelled.reference], ['CANCELLED', { type: 'USER' }, erasure.reference])
    assert.equal((await ada.api.listUsers()).items.length, 2)
    const mails = await mailsIn(world)
    assert.equal(mails.filter((mail) => mail.includes('data will be erased on')).length, 2, 'administrator and user')
    assert.equal(mails.filter((mail) => mail.includes('an erasure was cancelled')).length, 2)
    const { items } = await ada.api.listAccountAudit({})
    assert.deepEqual(
      items.slice(0, 2).map(({ action, detail }) => [action, detail]),
      ['erasure.cancel', 'erasure.schedule'].map((action) => [action, { subjectType: 'USER', reference: erasure.reference }]),
    )
  })

  test(`${database}: erases a user and all archives of the account, and keeps an anonymous record`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const { id: exportId } = await ada.api.createDataExport({}, { subject: { type: 'ACCOUNT' } })
    const erasure = await schedule(ada, bob.userId)
    await world.clock.jump(day)
    assert.equal(await stateOf(ada, erasure), 'RUNNING')
    await assert.rejects(ada.api.cancelErasure({ erasureId: erasure.id }), { status: 409 })
    await world.clock.jump(minute)
    const done = await ada.api.getErasure({ erasureId: erasure.id })
    assert.deepEqual([done.state, done.subject, done.reference], ['DONE', { type: 'USER' }, erasure.reference])
    assert.ok((done.deletedRows ?? 0) > 0)
    assert.deepEqual(
      (await ada.api.listUsers()).items.map(({ id }) => id),
      [ada.userId],
    )
    await assert.rejects(bob.api.getUser({ userId: bob.userId }), { status: 401 })
    await assert.rejects(schedule(ada, bob.userId), { status: 404 }, 'nothing is left')
    await assert.rejects(ada.api.getDataExport({ exportId }), { status: 404 })
    assert.ok(!existsSync(join(world.data, 'exports', ada.accountId, `${exportId}.tar`)))
    const { items } = await ada.api.listAccountAudit({})
    const entry = items.find(({ action }) => action === 'erasure.done')
    assert.deepEqual([entry?.actor, entry?.target], ['service', erasure.id])
    assert.equal((await mailsIn(world)).filter((mail) => mail.includes('data was erased')).length, 1)
  })

  test(`${database}: postpones an erasure during a running call of the subject`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const contact = await ada.api.createContact({}, { name: 'Grace', numbers: [grace], shared: true })
    await plantCall(world, ada, grace, '')
    const call = aCall(bob, grace)
    await world.write((tables) => tables.runningCalls.open(call))
    const erasures = [
      await schedule(ada, bob.userId),
      await schedule(ada, contact.id, 1, 'CONTACT'),
      await schedule(ada, grace, 1, 'NUMBER'),
    ]
    const states = async (): Promise<string[]> => Promise.all(erasures.map((one) => stateOf(ada, one)))
    await runOut(world, 1)
    assert.deepEqual(await states(), ['SCHEDULED', 'SCHEDULED', 'SCHEDULED'])
    await world.write((tables) => tables.runningCalls.remove(call))
    for (let n = 0; n < 3; n++) await world.clock.jump(minute)
    assert.deepEqual(await states(), ['DONE', 'DONE', 'DONE'])
  })

  test(`${database}: rejects an erasure of others and of the last administrator`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const mallory = await world.newAccount()
    const contact = await ada.api.createContact({}, { name: 'Grace', numbers: [grace], shared: true })
    await assert.rejects(schedule(mallory, contact.id, 1, 'CONTACT'), { status: 404 })
    await assert.rejects(schedule(mallory, grace, 1, 'NUMBER'), { status: 404 })
    await assert.rejects(schedule(mallory, 'w99'), { status: 404 })
    await assert.rejects(schedule(bob, bob.userId), { status: 403 })
    for (const days of [0, 31, 1.5]) await assert.rejects(schedule(ada, bob.userId, days), withCode('parameter_invalid', 'graceDays'))
    await assert.rejects(schedule(ada, ada.userId), withCode('last_admin'))
    const { id: erasureId } = await schedule(ada, bob.userId)
    for (const person of [bob, mallory]) {
      const status = person === bob ? 403 : 404
      await assert.rejects(person.api.getErasure({ erasureId }), { status })
      await assert.rejects(person.api.cancelErasure({ erasureId }), { status })
    }
    assert.deepEqual((await mallory.api.listErasures()).items, [])
  })

  test(`${database}: fails visibly when the rules forbid an erasure at its due time`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newUser(ada.accountId, { admin: true })
    const erasure = await schedule(ada, eve.userId)
    await eve.api.changeUser({ userId: ada.userId }, { role: 'USER' })
    await runOut(world, 1)
    const failed = await eve.api.getErasure({ erasureId: erasure.id })
    assert.deepEqual([failed.state, failed.failure, failed.subject.id], ['FAILED', 'last_admin', eve.userId])
    await eve.api.getUser({ userId: eve.userId })
    assert.match((await mailsIn(world)).join('\n'), /an erasure failed/)
    await eve.api.changeUser({ userId: ada.userId }, { role: 'ADMIN' })
    await schedule(ada, eve.userId)
    await runOut(world, 1)
    const [, first] = (await ada.api.listErasures()).items
    assert.deepEqual([first?.id, first?.subject], [erasure.id, { type: 'USER' }], 'the earlier one forgets the user, too')
  })
}

test("rejects the erasure of a user while another user's line forwards to them", async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const lineOf = async ({ userId }: Person): Promise<string> => (await ada.api.listPhonelines({ userId })).items[0]?.id ?? assert.fail()
  const [adas, bobs] = [await lineOf(ada), await lineOf(bob)]
  const forwarded = { destination: bobs, timeout: 10, active: true }
  await ada.api.replaceForwardings({ userId: ada.userId, phonelineId: adas }, { forwardings: [forwarded] })
  await assert.rejects(schedule(ada, bob.userId), withCode('endpoint_in_use', adas, bobs))
  await ada.api.replaceForwardings({ userId: ada.userId, phonelineId: adas }, { forwardings: [] })
  await schedule(ada, bob.userId)
})

test('waits for a running export of the account before an erasure', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { id: contactId } = await ada.api.createContact({}, { name: 'Grace', numbers: [grace] })
  const erasure = await schedule(ada, contactId, 1, 'CONTACT')
  const { id: exportId } = await ada.api.createDataExport({}, { subject: { type: 'ACCOUNT' } })
  await world.clock.advance(0)
  const setState = (state: 'BUILDING' | 'READY') => world.write((tables) => tables.dataExports.setState(ada.accountId, exportId, state))
  await setState('BUILDING')
  await runOut(world, 1)
  assert.equal(await stateOf(ada, erasure), 'SCHEDULED')
  await setState('READY')
  await world.clock.jump(minute)
  assert.equal(await stateOf(ada, erasure), 'DONE')
})

test('closes an account with endless calls after a day and erases it after its last call', async (t) => {
  const world = await startWorld(t)
  const operator = await world.operator()
  const ada = await world.newAccount()
  const call = aCall(ada, grace)
  await world.write((tables) => tables.runningCalls.open(call))
  const { accountId } = ada
  const { id: erasureId } = await operator.createAccountErasure({}, { accountId, subject: { type: 'ACCOUNT' }, graceDays: 0 })
  const state = async (): Promise<string> => (await operator.readAccountErasure({ erasureId })).state
  await world.clock.jump(day - minute)
  assert.equal(await state(), 'SCHEDULED')
  await world.clock.jump(2 * minute)
  assert.equal(await state(), 'RUNNING')
  await world.clock.jump(minute)
  await assert.rejects(ada.api.getAccount(), { status: 401 })
  assert.equal(await state(), 'RUNNING')
  await world.write((tables) => tables.runningCalls.remove(call))
  await world.clock.jump(minute)
  assert.equal(await state(), 'DONE')
})

test('leaves no value of an erased user or caller in any file, including mails about the erasure', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  await plantCall(world, ada, grace, 'Zebedee wants a refund')
  await ada.api.createDataExport({}, { subject: { type: 'ACCOUNT' } })
  for (const erasure of [await schedule(ada, bob.userId), await schedule(ada, grace, 1, 'NUMBER')]) assert.equal(erasure.state, 'SCHEDULED')
  await world.clock.advance(0)
  const planted = [bob.email, grace, grace.slice(1), 'Zebedee']
  assert.deepEqual(await foundIn(world.data, planted), planted, 'they are there before')
  for (let n = 0; n < 3; n++) await runOut(world, n === 0 ? 1 : 0)
  assert.deepEqual(
    (await ada.api.listErasures()).items.map(({ state }) => state),
    ['DONE', 'DONE'],
  )
  assert.deepEqual(await foundIn(world.data, planted), [])
})

/** Values that occur in a file of the folder. */
const foundIn = async (folder: string, values: readonly string[]): Promise<string[]> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const contents = await Promise.all(files.map(({ name, parentPath }) => readFile(join(parentPath, name), 'latin1')))
  return values.filter((value) => contents.some((content) => content.includes(value)))
}
