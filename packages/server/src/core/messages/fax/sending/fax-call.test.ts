import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases } from '#test/store/databases.ts'
import { anotherOffice, openFaxOffice } from '#test/routing/scripted-fax-office.ts'
import { text } from '#core/kernel/translations/index.ts'

const minutes = (count: number): number => 60 * count

for (const database of bothDatabases)
  test(`${database}: makes one call when two nodes see the same fax concurrently`, async (t) => {
    const office = await openFaxOffice(t, { database })
    const ada = await office.newSender()
    const id = await office.send(ada)
    office.leg.refuses('busy', 486)
    await office.exchange.rest()
    const next = anotherOffice(t, office)
    const { accountId } = ada
    await Promise.all([office, next].map(({ sender }) => sender.send({ accountId, id })))
    await office.exchange.rest()
    await next.exchange.rest()
    const [leg, ...others] = [...office.legs, ...next.legs]
    assert.deepEqual([others.length, (await office.fax(ada, id)).tries], [0, 2])
    leg?.refuses('not_found', 404)
    await office.exchange.rest()
    await next.exchange.rest()
    assert.equal((await office.fax(ada, id)).state, 'FAILED')
  })

test('allows a page 20 minutes, then hangs up without a retry', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const ada = await office.newSender()
  const id = await office.send(ada, { pages: 3 })
  const leg = await office.answer(2, minutes(15))
  assert.equal(leg.over, undefined)
  await exchange.seconds(minutes(19))
  assert.equal(leg.over, undefined)
  await exchange.seconds(minutes(1))
  assert.ok(leg.over)
  const { faxStatusType, pagesSent, faxReason } = (await office.entry(ada, id)).detail
  assert.deepEqual([faxStatusType, pagesSent, faxReason], ['FAILED', 2, text('en_US', 'fax.reason.too_slow')])
  assert.equal((await office.fax(ada, id)).talkSeconds, minutes(50))
})

test('retries later when the pages are not in the folder', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange, papers } = office
  const ada = await office.newSender()
  const id = await office.send(ada)
  office.leg.refuses('busy', 486)
  await exchange.rest()
  const pages = `${ada.accountId}/${id}/pages`
  const content = papers.files.get(pages) ?? assert.fail('there are none')
  papers.files.delete(pages)
  await exchange.seconds(60)
  assert.equal(office.legs.length, 0, 'no call is made in vain')
  const { faxStatusType, faxReason } = (await office.entry(ada, id)).detail
  assert.deepEqual([faxStatusType, faxReason], ['SCHEDULED', text('en_US', 'fax.reason.service_failure')])
  assert.match(String(exchange.failures.splice(0)), /not in this folder/)
  papers.files.set(pages, content)
  await exchange.seconds(minutes(5))
  ;(await office.answer(1)).completes()
  await exchange.rest()
  assert.equal((await office.fax(ada, id)).state, 'SENT')
})
