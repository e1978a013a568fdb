import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFaxOffice, type FaxOffice, type Sender } from '#test/routing/scripted-fax-office.ts'
import { eraseFax } from '../erasing/erase-fax.ts'

const sendOne = async (office: FaxOffice, sender: Sender): Promise<string> => {
  const id = await office.send(sender)
  ;(await office.answer(1)).completes()
  await office.exchange.rest()
  return id
}

test("writes the report in the sender's language and time zone", async (t) => {
  const office = await openFaxOffice(t)
  const ada = await office.newSender()
  const { accountId, userId } = ada
  const notifications = async (): Promise<(string | undefined)[]> => {
    await sendOne(office, ada)
    const { title, lines = [] } = office.papers.reports.at(-1) ?? {}
    const time = lines.find(([label]) => label === 'Zeit' || label === 'Time')?.[1]
    return [title, time?.replace(/\d+:\d+:\d+/, '…')]
  }
  const day = new Date(office.exchange.clock.now())
  const at = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(day)
  await office.exchange.store.write(({ users }) => users.update(accountId, userId, { locale: 'de_DE', timezone: 'UTC' }))
  assert.deepEqual(await notifications(), ['Fax gesendet', `${at('de-DE')} um … UTC`])
  await office.exchange.store.write(({ users }) => users.update(accountId, userId, { locale: 'en_US' }))
  const [title, time] = await notifications()
  assert.equal(title, 'Fax sent')
  assert.match(time ?? '', new RegExp(`^${at('en-US')} at … [AP]M UTC$`))
})

test('drops the report of a fax that is erased while it is written', async (t) => {
  const office = await openFaxOffice(t)
  const { store, clock } = office.exchange
  const ada = await office.newSender()
  const write = office.papers.report.bind(office.papers)
  const erased = Promise.withResolvers<void>()
  office.papers.report = async (fax, words) => {
    await write(fax, words)
    await store.write((tables) => eraseFax(tables, clock, { accountId: fax.accountId, id: fax.faxId }))
    erased.resolve()
  }
  const id = await sendOne(office, ada)
  await erased.promise // takes longer than a rest on a busy machine
  await office.exchange.rest()
  assert.equal((await office.entry(ada, id)).detail.papers, undefined)
})
