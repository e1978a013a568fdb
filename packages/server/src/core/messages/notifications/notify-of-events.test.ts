import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFaxOffice } from '#test/routing/scripted-fax-office.ts'
import { openExchange, outsideNumber, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { notificationJobs } from './notify-of-events.ts'

const byText = (a: string, b: string): number => a.localeCompare(b)

const openVault: Vault = { seal: (plain) => plain, open: (sealed) => sealed, derive: () => new Uint8Array(32) }

/** Runs the due notification jobs; returns the mails. */
const notifyAll = async ({ store, clock }: Pick<Exchange, 'store' | 'clock'>) => {
  let woken = 0
  const tasks = notificationJobs({ store, clock, vault: openVault, sms: { routes: [], serviceSender: 'Offhook' }, wake: () => woken++ })
  const jobs = await store.write((tables) => tables.jobs.lease(Object.keys(tasks), clock.now(), 10, 1))
  for (const job of jobs) await tasks[job.kind]?.(job.payload, job)
  const mails = await store.write((tables) => tables.outbox.lease(['mail'], clock.now(), 10, 1))
  const read = mails.map(
    ({ payload }) => JSON.parse((payload as { sealed: string }).sealed) as { to: string; subject: string; text: string },
  )
  return { read, jobs: jobs.length, woken }
}

test('sends one mail per message or missed call to a subscribed user, even with several subscriptions', async (t) => {
  const exchange = await openExchange(t)
  const { store } = exchange
  const ada = await exchange.newCustomer()
  exchange.telephony.register(ada.accountId, ada.deviceId, 0)
  await store.write(async (tables) => {
    const [voicemail] = await tables.voicemails.listByOwner(ada.accountId, ada.line)
    await tables.voicemails.update(ada.accountId, voicemail?.id ?? '', { transcription: false })
    const notify = (endpointId: string, recipient: string, more = {}) => {
      const input = { type: 'VOICEMAIL', endpointId, via: 'EMAIL', recipient, direction: 'ALL', ...more } as const
      return tables.notifications.insert(ada.accountId, ada.userId, input)
    }
    await notify(ada.line, 'ada@example.com')
    await notify(voicemail?.id ?? '', 'ada@example.com')
    await notify(voicemail?.id ?? '', 'boss@example.com', { direction: 'INCOMING' })
    await notify(ada.line, 'calls@example.com', { type: 'CALL', direction: 'MISSED_INCOMING' })
    await notify(voicemail?.id ?? '', 'calls@example.com', { type: 'CALL' })
    await notify(ada.line, 'out@example.com', { direction: 'OUTGOING' })
    await notify(ada.line, '+4915112345678', { via: 'SMS' })
  })
  const leave = async (seconds: number) => {
    const caller = await exchange.callIn(ada.number)
    await exchange.seconds(4 + seconds)
    caller.hangsUp()
    await exchange.rest()
  }
  await leave(0.5)
  await leave(7)
  exchange.telephony.register(ada.accountId, ada.deviceId)
  const answered = await exchange.callIn(ada.number)
  exchange.phone.answers()
  await exchange.rest()
  answered.hangsUp()
  await exchange.rest()
  const { read, jobs, woken } = await notifyAll(exchange)
  assert.equal(jobs, 2, 'an answered call is not missed')
  const message = `Neue Nachricht von ${outsideNumber}`
  assert.deepEqual(read.map(({ to, subject }) => `${to}: ${subject}`).toSorted(byText), [
    `ada@example.com: ${message}`,
    `boss@example.com: ${message}`,
    `calls@example.com: Verpasster Anruf von ${outsideNumber}`,
  ])
  assert.match(
    read.find(({ subject }) => subject === message)?.text ?? '',
    new RegExp(`auf \\${ada.number} wurde eine Nachricht von \\${outsideNumber} hinterlassen. Sie dauert 7 Sekunden.`),
  )
  assert.equal(woken, 2)
})

test('names a contact on the ringing phone and in the mail about the call', async (t) => {
  const exchange = await openExchange(t)
  const { store } = exchange
  const ada = await exchange.newCustomer()
  await store.write(async (tables) => {
    const input = { type: 'CALL', endpointId: ada.line, via: 'EMAIL', recipient: 'ada@example.com', direction: 'ALL' } as const
    await tables.notifications.insert(ada.accountId, ada.userId, input)
    const contact = { owner: ada.userId, shared: false, emails: [], numbers: [outsideNumber] }
    await tables.contacts.insert(ada.accountId, [{ ...contact, id: 'c1', name: 'Grace' }], 0)
    await tables.contacts.insert(ada.accountId, [{ ...contact, id: 'c2', owner: 'w9', name: 'Not Ada’s' }], 0)
  })
  const caller = await exchange.callIn(ada.number, { caller: { number: outsideNumber, name: 'SPAM', withheld: false } })
  assert.deepEqual(exchange.phone.dial?.caller, { number: outsideNumber, name: 'Grace', withheld: false })
  caller.hangsUp()
  await exchange.rest()
  const { read } = await notifyAll(exchange)
  assert.deepEqual(
    read.map(({ subject }) => subject),
    [`Verpasster Anruf von Grace (${outsideNumber})`],
  )
})

test("explains a failed fax in the mail in the account's language", async (t) => {
  const office = await openFaxOffice(t)
  const { accountId, userId, faxlineId, ...rest } = await office.newSender()
  const input = { type: 'FAX', endpointId: faxlineId, via: 'EMAIL', recipient: 'ada@example.com', direction: 'OUTGOING' } as const
  await office.exchange.store.write(({ notifications }) => notifications.insert(accountId, userId, input))
  await office.send({ accountId, userId, faxlineId, ...rest })
  ;(await office.answer()).completes(2)
  await office.exchange.rest()
  const { read } = await notifyAll(office.exchange)
  assert.match(
    read[0]?.text ?? '',
    new RegExp(`Ihr Fax an \\${outsideNumber} konnte nicht zugestellt werden. Es hat sich kein Faxgerät gemeldet.`),
  )
})
