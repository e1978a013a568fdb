import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases } from '#test/store/databases.ts'
import { aNumber, outsideNumber } from '#test/routing/scripted-exchange.ts'
import { minutePrice, openFaxOffice } from '#test/routing/scripted-fax-office.ts'
import { withCode } from '#test/http/with-code.ts'
import { text } from '#core/kernel/translations/index.ts'

const minute = 60_000

for (const database of bothDatabases) {
  test(`${database}: sends an ordered fax and charges by duration`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { exchange } = office
    const ada = await office.newSender()
    await exchange.store.write(async (tables) => {
      await tables.faxlines.setTagline(ada.accountId, ada.faxlineId, 'Example Ltd')
      await tables.faxlines.setCallerId(ada.accountId, ada.faxlineId, ada.number)
    })
    const id = await office.send(ada, { pages: 3 })
    assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 4 * minutePrice }, '210 seconds')
    assert.equal((await office.entry(ada, id)).detail.faxStatusType, 'SENDING')
    assert.equal(office.leg.dial?.caller.number, ada.number)
    await exchange.seconds(10)
    const leg = await office.answer(3)
    assert.deepEqual(leg.paper, { file: `${ada.accountId}/${id}/pages`, firstPage: 0, station: ada.number, header: 'Example Ltd' })
    leg.completes()
    await exchange.rest()
    assert.deepEqual(await exchange.money(ada), { spent: 2 * minutePrice, reserved: 0 }, '90 seconds')
    const { sourceAlias, ...entry } = await office.entry(ada, id)
    assert.deepEqual(
      [entry.type, entry.direction, entry.source, entry.target, entry.status, entry.connectionIds, entry.userId],
      ['FAX', 'OUTGOING', ada.number, outsideNumber, 'PICKUP', [ada.faxlineId], ada.userId],
    )
    assert.ok(sourceAlias)
    const papers = ['document', 'preview', 'report']
    assert.deepEqual(entry.detail, { faxStatusType: 'SENT', pageCount: 3, pagesSent: 3, bitRate: 14_400, papers })
    const report = Object.fromEntries(office.papers.reports[0]?.lines ?? [])
    assert.equal(office.papers.reports[0]?.title, 'Fax gesendet')
    assert.deepEqual([report['An'], report['Seiten'], report['Geschwindigkeit']], [outsideNumber, '3 / 3', '14400 bit/s (T.38)'])
    assert.deepEqual(exchange.failures, [])
  })
}

for (const database of databases) {
  test(`${database}: resumes after the confirmed pages and charges the seconds of both attempts`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { exchange } = office
    const ada = await office.newSender()
    const id = await office.send(ada, { pages: 3 })
    const first = await office.answer(1, 50)
    await exchange.seconds(20)
    first.completes(21)
    await exchange.rest()
    const { detail } = await office.entry(ada, id)
    assert.deepEqual([detail.faxStatusType, detail.pagesSent], ['SCHEDULED', 1])
    assert.equal(detail.faxReason, text('en_US', 'fax.reason.bad_line'))
    await exchange.seconds(60)
    const second = await office.answer(2, 50)
    assert.equal(second.paper && 'firstPage' in second.paper && second.paper.firstPage, 1)
    second.hangsUp() // all pages are confirmed: a missing T.30 disconnect does not matter
    await exchange.rest()
    assert.equal((await office.entry(ada, id)).detail.faxStatusType, 'SENT')
    assert.deepEqual(await exchange.money(ada), { spent: 3 * minutePrice, reserved: 0 }, '70 and 100 seconds')
  })

  test(`${database}: extends the reservation on a slow line and stops between pages when funds run out`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { exchange } = office
    const ada = await office.newSender({ money: 6 * minutePrice })
    const id = await office.send(ada, { pages: 4 })
    assert.equal((await exchange.money(ada)).reserved, 5 * minutePrice)
    const leg = await office.answer(3, 100)
    assert.equal((await exchange.money(ada)).reserved, 6 * minutePrice, 'all there is')
    assert.ok(leg.over, 'the fourth page would not be paid for')
    const { detail } = await office.entry(ada, id)
    assert.deepEqual(
      [detail.faxStatusType, detail.pagesSent, detail.faxReason],
      ['SCHEDULED', 3, text('en_US', 'fax.reason.insufficient_funds')],
    )
    await exchange.seconds(60)
    assert.equal(office.legs.length, 0, 'no call is made in vain')
    assert.equal((await office.entry(ada, id)).detail.faxStatusType, 'SCHEDULED')
    await exchange.seconds(30 * 60)
    assert.equal((await office.entry(ada, id)).detail.faxStatusType, 'FAILED')
    const { spent, reserved } = await exchange.money(ada)
    assert.deepEqual([spent - 500_000 + 6 * minutePrice, reserved], [5 * minutePrice, 0], '300 seconds')
  })

  test(`${database}: treats a repeated order as one fax and resends an earlier fax with its document`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const { exchange, papers } = office
    const ada = await office.newSender()
    const id = await office.send(ada, { pages: 2 })
    await office.send(ada, { pages: 2, id })
    assert.equal(exchange.telephony.faxed.length, 1)
    ;(await office.answer(2)).completes()
    await exchange.rest()
    await office.send(ada, { pages: 2, id })
    assert.equal((await exchange.history(ada)).length, 1)
    const again = await office.resend(ada, id)
    await papers.erase(ada.accountId, id)
    const leg = await office.answer(2)
    assert.equal(leg.paper?.file, `${ada.accountId}/${again}/pages`)
    leg.completes()
    await exchange.rest()
    const { filename, resendOf, pages, state } = await office.fax(ada, again)
    assert.deepEqual([filename, resendOf, pages, state], ['letter.pdf', id, 2, 'SENT'])
    await assert.rejects(office.resend(ada, id), { code: 'conflict' })
  })
}

test('retries busy and unanswered faxes after 1, 5 and 15 minutes without charge, then fails', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const ada = await office.newSender()
  const id = await office.send(ada)
  const called: number[] = []
  const started = exchange.clock.now()
  const inVain = async (end: () => void) => {
    called.push((exchange.clock.now() - started) / minute)
    end()
    await exchange.rest()
  }
  await inVain(() => office.leg.refuses('busy', 486))
  const { detail, status } = await office.entry(ada, id)
  const papers = ['document', 'preview']
  const facts = { pageCount: 1, pagesSent: 0, faxReason: text('en_US', 'fax.reason.busy') }
  assert.deepEqual(detail, { faxStatusType: 'SCHEDULED', ...facts, scheduledAt: started + minute, papers })
  assert.equal(status, 'BUSY')
  await exchange.seconds(60)
  assert.equal((await office.entry(ada, id)).detail.scheduledAt, undefined)
  office.leg.rings()
  await exchange.seconds(60) // ring timeout
  assert.equal(office.legs.length, 0)
  assert.equal((await office.entry(ada, id)).detail.faxReason, text('en_US', 'fax.reason.no_answer'))
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 2 * minutePrice }, 'kept for the next try')
  await exchange.seconds(5 * 60)
  await inVain(() => office.leg.refuses('busy', 486))
  await exchange.seconds(15 * 60)
  await inVain(() => office.leg.refuses('unavailable', 480))
  assert.deepEqual(called, [0, 7, 22])
  assert.equal((await office.fax(ada, id)).tries, 4)
  assert.equal((await office.entry(ada, id)).detail.faxStatusType, 'FAILED')
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  await exchange.seconds(3600)
  assert.equal(exchange.telephony.faxed.length, 4)
})

test('charges a call answered by a person and does not repeat it', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const ada = await office.newSender()
  const silent = await office.send(ada)
  const leg = await office.answer()
  await exchange.seconds(60)
  leg.completes(2)
  const hungUp = await office.send(ada)
  await office.answer()
  await exchange.seconds(4)
  office.leg.hangsUp()
  await exchange.seconds(3600)
  for (const id of [silent, hungUp]) {
    const { detail, status } = await office.entry(ada, id)
    assert.deepEqual([detail.faxStatusType, detail.faxReason, status], ['FAILED', text('en_US', 'fax.reason.no_fax_machine'), 'PICKUP'])
  }
  assert.equal(exchange.telephony.faxed.length, 2)
  assert.deepEqual(await exchange.money(ada), { spent: 2 * minutePrice, reserved: 0 })
})

test('delivers to own numbers without charge: to a fax line without a call, to a fax machine by ringing it', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const ada = await office.newSender({ money: 0 })
  const bob = await office.newSender()
  const faxNumber = '+49211999001'
  await exchange.store.write(({ numbers }) => numbers.insert(bob.accountId, { ...aNumber(faxNumber), endpointId: bob.faxlineId }))
  const direct = await office.send(ada, { recipient: faxNumber })
  const faxline = { accountId: bob.accountId, faxlineId: bob.faxlineId, called: faxNumber }
  assert.deepEqual(
    office.delivered.map((one) => [one.fax.id, one.faxline]),
    [[direct, faxline]],
  )
  assert.equal((await office.entry(ada, direct)).detail.faxStatusType, 'SENT')
  exchange.telephony.faxMissing = 'libspandsp2 is missing'
  await assert.rejects(office.send(ada, { recipient: bob.number }), withCode('line_unavailable', 'libspandsp2'))
  await office.send(ada, { recipient: faxNumber })
  exchange.telephony.faxMissing = undefined
  await office.send(ada, { recipient: bob.number })
  assert.deepEqual(office.leg.target, { kind: 'device', accountId: bob.accountId, deviceId: bob.deviceId })
  const leg = await office.answer(1)
  leg.completes()
  await exchange.rest()
  assert.deepEqual(
    (await exchange.history(ada)).map(({ detail }) => detail.faxStatusType),
    ['SENT', 'SENT', 'SENT'],
  )
  assert.equal((await exchange.money(ada)).reserved, 0)
  office.deliveryFails = true
  const failing = await office.send(ada, { recipient: faxNumber })
  assert.equal((await office.entry(ada, failing)).detail.faxStatusType, 'SCHEDULED')
  office.deliveryFails = false
  await exchange.seconds(60)
  assert.equal((await office.entry(ada, failing)).detail.faxStatusType, 'SENT')
  assert.equal(exchange.failures.splice(0).length, 1)
})

test('rejects an unsendable fax without leaving files or a reservation', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange, papers } = office
  const ada = await office.newSender({ money: 3 * minutePrice })
  papers.refuses = 'is protected by a password'
  await assert.rejects(office.send(ada), withCode('parameter_invalid', 'base64Content', 'password'))
  papers.refuses = undefined
  papers.more = 5
  await assert.rejects(office.send(ada), { code: 'insufficient_funds' }, 'six pages where one was to be seen')
  papers.more = 0
  for (const { id } of await exchange.store.read.trunks.list()) exchange.telephony.health.set(id, { usable: false, calls: 0 })
  await assert.rejects(office.send(ada), withCode('line_unavailable'))
  assert.deepEqual([await exchange.history(ada), papers.files.size, (await exchange.money(ada)).reserved], [[], 0, 0])
  assert.equal(exchange.telephony.faxed.length, 0)
})

test('limits concurrent faxes per account and starts the others when there is capacity', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const [ada, bob] = [await office.newSender(), await office.newSender()]
  for (let nth = 0; nth < 12; nth++) await office.send(ada)
  assert.equal(office.legs.length, 10)
  await office.send(bob)
  assert.equal(office.legs.length, 11)
  const turnedAway = (id: string) => office.sender.send({ accountId: ada.accountId, id }).catch(({ waitMs }: { waitMs: number }) => waitMs)
  const waits = [await turnedAway('one'), await turnedAway('another'), await turnedAway('third')]
  assert.deepEqual(waits, [5_400, 5_600, 5_800], 'they do not all ask again at the same time')
  for (const leg of office.legs.slice(0, 5)) leg.refuses('not_found', 404)
  await exchange.seconds(6)
  assert.equal(office.legs.length, 8)
})
