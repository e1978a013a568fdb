import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { anotherOffice, openFaxOffice } from '#test/switchboard/scripted-fax-office.ts'

const minutes = (count: number): number => 60 * count

for (const database of databases)
  test(`${database}: two processes that see the same fax at the same time make one call`, async (t) => {
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

test('every page may take a quarter of an hour; a far end that never ends one is hung up on and not tried again', async (t) => {
  const office = await openFaxOffice(t)
  const { exchange } = office
  const ada = await office.newSender()
  const id = await office.send(ada, { pages: 3 })
  const leg = await office.answer(2, minutes(15))
  assert.equal(leg.ended, undefined)
  await exchange.seconds(minutes(19))
  assert.equal(leg.ended, undefined)
  await exchange.seconds(minutes(1))
  assert.ok(leg.ended)
  const { faxStatusType, pagesSent, faxReason } = (await office.entry(ada, id)).detail
  assert.deepEqual([faxStatusType, pagesSent, faxReason], ['FAILED', 2, 'A page took too long.'])
  assert.equal((await office.fax(ada, id)).talkSeconds, minutes(50))
})

test('pages that are not in the folder now may be there later', async (t) => {
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
  assert.deepEqual([faxStatusType, faxReason], ['SCHEDULED', 'An error on our side.'])
  assert.match(String(exchange.failures.splice(0)), /not in this folder/)
  papers.files.set(pages, content)
  await exchange.seconds(minutes(5))
  ;(await office.answer(1)).completes()
  await exchange.rest()
  assert.equal((await office.fax(ada, id)).state, 'SENT')
})
