// test: own process
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openTariff } from '#core/money/open-tariff.ts'
import { reserveCall, settleCall } from '#core/money/reservations.ts'
import { plantTalk, talkativeEndpoint } from '#test/privacy/plant-account.ts'
import { enterEvent, plantCaller } from '#test/privacy/plant-person.ts'
import { Planted } from '#test/privacy/planted.ts'
import { remainsIn } from '#test/privacy/remains.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { databases, startWorld, type Database, type Person, type World } from '#test/world/world.ts'

const openWorld = async (t: TestContext, database: Database) => {
  const planted = new Planted('zarquon', '1111')
  const endpoint = await talkativeEndpoint(t, () => planted)
  const url = database === 'postgres' ? await freshPostgres() : undefined
  const settings = { OFFHOOK_EGRESS_ALLOW: endpoint.address, ...(url !== undefined && { DATABASE_URL: url }) }
  const world = await startWorld(t, { settings })
  const ada = await world.newAccount()
  return { planted, endpoint, world, ada, remains: () => remainsIn(world.data, url, planted.tokens) }
}

/** A paid call. */
const payCall = (world: World, { accountId: id }: Person, number: string): Promise<void> =>
  world.write(async (tables) => {
    const tariffId = await openTariff(tables, world.clock, { currency: 'EUR' })
    const sessionId = randomUUID()
    await tables.balances.book(id, {
      key: sessionId,
      reason: 'cash',
      actor: 'test',
      at: world.clock.now(),
      postings: [
        { book: 'payments', amount: -1_000_000 },
        { book: 'balance', amount: 1_000_000 },
      ],
    })
    await reserveCall(tables, world.clock, {
      payer: { id, tariffId, country: 'DE' },
      sessionId,
      purpose: 'CALL',
      destinations: [number],
      by: { number },
    })
    await settleCall(tables, world.clock, { accountId: id, sessionId, seconds: [10] })
  })

/** Settings of other users that contain the number. */
const mentionNumber = async ({ api, userId }: Person, number: string) => {
  const spaced = `0${number.slice(3, 6)} / ${number.slice(6, 9)}-${number.slice(9)}`
  const other = '+493023125099'
  const { tokenId } = await api.createPersonalToken({}, { name: 'script' })
  await api.setLeash({ leashId: tokenId }, { allowedNumbers: [number, other] })
  const [line] = (await api.listPhonelines({ userId })).items
  const phonelineId = line?.id ?? ''
  await api.replaceForwardings({ userId, phonelineId }, { forwardings: [{ destination: number, timeout: 10, active: true }] })
  await api.setRouting({ target: phonelineId }, { rules: [], overflow: [{ after: 20, action: 'FORWARD', to: number }] })
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Shop', transfer_targets: [number, other] })
  const prompt = `Never call ${spaced}, and not 00${number.slice(1)} either.`
  await api.changeAssistant({ aiFlowId }, { settings: { greeting: 'Hello', prompt } })
  await api.addKnowledge({ aiFlowId }, { name: 'Staff', kind: 'text', text: `The janitor has ${number.slice(1)}. The roof is red.` })
  await api.setScenario({ aiFlowId, name: 'pinned' }, { name: 'pinned', from: number, steps: [{ say: 'Hello' }] })
  return { aiFlowId, tokenId, phonelineId, other, spaced }
}

for (const database of databases) {
  test(`${database}: erases a caller's number everywhere, and no data of other callers`, async (t) => {
    const { planted, endpoint, world, ada, remains } = await openWorld(t, database)
    const { api, accountId, userId } = ada
    const number = planted.number()
    const flow = await api.createFlow({}, { name: 'Reception', webhookUrl: endpoint.url, timeouts: { silence_seconds: 3600 } })
    await api.createContact({}, { name: `${planted.name()} ${planted.name()}`, numbers: [number], emails: [planted.email()], shared: true })
    const firm = await api.createContact({}, { name: 'Firm Ltd', numbers: [number, '+493023125098'], emails: [], shared: true })
    await plantCaller(world, ada, planted, number)
    await plantTalk(t, world, ada, { planted, aiFlowId: flow.id, endpoint, from: number })
    await payCall(world, ada, number)
    const { aiFlowId, tokenId, phonelineId, other, spaced } = await mentionNumber(ada, number)
    const note = `asked for ${spaced}, `
    const others = await enterEvent(world, ada, { type: 'CALL', number: '+493023125097', note })
    await world.clock.advance(0)
    assert.equal((await remains()).length, planted.tokens.length)

    const subject = { type: 'number', accountId, number } as const
    const { personalData, store } = world.running.deps
    assert.equal(await personalData.exists(subject), true)
    const report = await personalData.erase(subject)
    assert.deepEqual(await remains(), [])
    assert.equal(await personalData.exists(subject), false)
    assert.equal(report.deletedFiles, 4)

    assert.deepEqual(
      (await api.listHistory({ userId })).items.map(({ id, note: left }) => [id, left]),
      [[others, 'asked for erased, ']],
    )
    assert.deepEqual(
      (await api.listContacts()).items.map(({ id, numbers }) => [id, numbers]),
      [[firm.id, ['+493023125098']]],
    )
    assert.deepEqual((await api.getLeash({ leashId: tokenId })).allowedNumbers, [other])
    assert.deepEqual((await api.listForwardings({ userId, phonelineId })).items, [])
    assert.deepEqual((await api.getRouting({ target: phonelineId })).overflow, [])
    assert.deepEqual((await api.getFlow({ aiFlowId })).transfer_targets, [other])
    assert.equal((await api.getAssistant({ aiFlowId })).settings.prompt, 'Never call erased, and not erased either.')
    assert.match(JSON.stringify((await api.searchKnowledge({ aiFlowId }, { query: 'janitor' })).items), /janitor has erased\. The roof/)
    const spent = await store.read.usages.sums(accountId, 'number', { from: 0, to: world.clock.now() + 1 })
    assert.deepEqual(
      spent.map(({ key, entries }) => [key?.replace(/[0-9a-f]{8}$/, 'x'), entries]),
      [['erased-x', 1]],
    )
    assert.deepEqual((await (await world.operator()).verifyAudit()).broken, [])
  })

  test(`${database}: erases a user with all their data, and their name in others' data`, async (t) => {
    const { planted, world, ada, remains } = await openWorld(t, database)
    const { accountId } = ada
    const bob = await world.newUser(accountId)
    const { api, userId } = bob
    const [firstname, lastname, email] = [planted.name(), planted.name(), planted.email()]
    await ada.api.changeUser({ userId }, { firstname, lastname })
    await world.write((tables) => tables.users.setEmail(accountId, userId, email))
    const external = planted.number()
    await api.createExternalDevice({ userId }, { alias: planted.name(), number: external })
    await api.createContact({}, { name: planted.name(), emails: [planted.email()], numbers: [planted.number()], shared: false })
    const shared = await api.createContact({}, { name: 'Plumber', emails: [], numbers: ['+493023125096'], shared: true })
    await api.createPersonalToken({}, { name: planted.name() })
    const [line] = (await api.listPhonelines({ userId })).items
    const phonelineId = line?.id ?? ''
    await api.changePhoneline({ userId, phonelineId }, { alias: planted.name() })
    const alarm = { type: 'CALL', endpointId: phonelineId, via: 'EMAIL', direction: 'ALL' } as const
    await api.createNotification({ userId }, { ...alarm, recipient: planted.email() })
    await plantCaller(world, bob, planted, planted.number())
    const note = `${firstname} ${lastname} (${email}) knows more, or ${external}`
    const others = await enterEvent(world, ada, { type: 'CALL', number: '+493023125097', alias: `${firstname} ${lastname}`, note })
    const adas = await ada.api.createContact({}, { name: `${firstname} ${lastname}`, emails: [email], numbers: [external], shared: true })
    await world.client().requestPasswordReset({}, { username: email })
    await world.clock.advance(0)
    assert.equal((await remains()).length, planted.tokens.length)

    const subject = { type: 'user', accountId, userId } as const
    const { personalData, store } = world.running.deps
    await personalData.erase(subject)
    assert.deepEqual(await remains(), [])
    assert.equal(await personalData.exists(subject), false)
    await assert.rejects(api.getAccount(), { status: 401 })
    assert.deepEqual(await store.read.users.find(accountId, userId), undefined)
    const [entry, ...more] = (await ada.api.listHistory({ userId: ada.userId })).items
    assert.deepEqual([entry?.id, entry?.sourceAlias, entry?.note, more], [others, 'erased', 'erased (erased) knows more, or erased', []])
    const contacts = (await ada.api.listContacts()).items.map(({ id }) => id)
    assert.deepEqual([contacts.includes(shared.id), contacts.includes(adas.id)], [true, false])
    assert.deepEqual((await (await world.operator()).verifyAudit()).broken, [])
  })

  test(`${database}: erases a contact with its numbers, after exporting them`, async (t) => {
    const { planted, world, ada, remains } = await openWorld(t, database)
    const { accountId, api } = ada
    const numbers = [planted.number(), planted.number()]
    const contact = await api.createContact(
      {},
      { name: `${planted.name()} ${planted.name()}`, emails: [planted.email()], numbers, shared: true },
    )
    for (const number of numbers) await plantCaller(world, ada, planted, number)
    await world.clock.advance(0)
    const subject = { type: 'contact', accountId, contactId: contact.id } as const
    const { personalData } = world.running.deps
    const rows = new Map<string, number>()
    for await (const batch of personalData.rows(subject)) rows.set(batch.table, (rows.get(batch.table) ?? 0) + batch.rows.length)
    assert.deepEqual(Object.fromEntries(rows), {
      contact: 1,
      contact_number: 2,
      history_entry: 10,
      history_party: 10,
      history_text: 6,
      party_number: 2,
      recording: 4,
      fax: 2,
    })
    const files: string[] = []
    for await (const key of personalData.files(subject)) files.push(key)
    assert.equal(files.length, 8)
    await personalData.erase(subject)
    assert.deepEqual(await remains(), [])
  })
}
