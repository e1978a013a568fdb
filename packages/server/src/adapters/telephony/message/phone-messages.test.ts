import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { Office } from '#test/phones/telephone-office.ts'
import type { PhoneText } from '#core/kernel/ports/messages.ts'

const plain = 'text/plain;charset=UTF-8'

const write = (phone: SipPhone, office: Office, more: Parameters<SipPhone['request']>[2] = {}) =>
  phone.request('MESSAGE', `sip:+4915799912345@${office.server}`, { contentType: plain, body: 'Hello', ...more })

test('sends a message to every binding of the device; a rejection counts as not delivered', async (t) => {
  const office = await Office.open(t)
  const { deviceId, username, password } = await office.login()
  const phones = await Promise.all([1, 2].map(() => SipPhone.open(t, { server: office.server, user: username, password })))
  for (const phone of phones) await phone.register()
  const to = { accountId: office.accountId, deviceId }
  assert.equal(await office.telephony.messages.send(to, { from: '+4915799912345', text: 'Grüße 🎉\nzweite Zeile' }), 2)
  for (const { requests } of phones) {
    assert.equal(requests.length, 1)
    assert.equal(requests[0]?.header('content-type'), plain)
    assert.equal(Buffer.from(requests[0]?.body ?? []).toString(), 'Grüße 🎉\nzweite Zeile')
    assert.match(requests[0]?.from.uri ?? '', /^sip:\+4915799912345@127\.0\.0\.1$/)
  }
  phones[1]?.refuse(486)
  assert.equal(await office.telephony.messages.send(to, { from: 'Bank "1" <x>\r\nX: y', text: 'Hi' }), 1)
  assert.equal(phones[0]?.requests[1]?.header('x'), undefined)
  assert.equal(await office.telephony.messages.send({ ...to, deviceId: 'e99' }, { from: 'a', text: 'b' }), 0)
})

test("accepts a phone's message only after authentication, and ignores its claimed identity", async (t) => {
  const office = await Office.open(t)
  const taken: PhoneText[] = []
  office.telephony.messages.onText(async (text) => {
    taken.push(text)
    return taken.length === 1 ? 'accepted' : 'delivered'
  })
  const outsider = await SipPhone.open(t, { server: office.server })
  assert.equal((await write(outsider, office)).status, 401)
  const { phone, deviceId } = await office.phone()
  assert.equal((await write(phone, office, { from: '<sip:+491111@bank.example>', body: 'Üß€' })).status, 202)
  assert.equal((await write(phone, office)).status, 200)
  const [first, second] = taken
  assert.deepEqual({ ...first, id: '' }, { accountId: office.accountId, deviceId, to: '+4915799912345', text: 'Üß€', id: '' })
  assert.notEqual(first?.id, second?.id)
  assert.equal(taken.length, 2)
})

test('a repeated message has the same id; another text under its number has a different one', async (t) => {
  const office = await Office.open(t)
  const ids: string[] = []
  office.telephony.messages.onText(async ({ id }) => {
    ids.push(id)
    return 'accepted'
  })
  const { phone } = await office.phone()
  for (const body of ['Hello', 'Hello', 'Bye']) await write(phone, office, { callId: 'mine', cseq: 7, body })
  assert.equal(ids[0], ids[1])
  assert.notEqual(ids[0], ids[2])
})

test('rejects messages that are not plain text, too long or unreadable, and those of an unknown dialog', async (t) => {
  const office = await Office.open(t)
  office.telephony.messages.onText(async () => 'accepted')
  const { phone } = await office.phone()
  const html = await write(phone, office, { contentType: 'text/html', body: '<b>' })
  assert.deepEqual([html.status, html.header('accept')], [415, 'text/plain'])
  const cases: [Parameters<SipPhone['request']>[2], number][] = [
    [{ contentType: 'application/im-iscomposing+xml', body: '<isComposing/>' }, 415],
    [{ contentType: 'text/plain;charset=iso-8859-1' }, 415],
    [{ headers: [['Content-Encoding', 'gzip']] }, 415],
    [{ contentType: 'text/plain', body: 'x'.repeat(1530) }, 202],
    [{ contentType: 'TEXT/PLAIN ; charset="us-ascii"' }, 202],
    [{ body: 'x'.repeat(1531) }, 413],
    [{ body: ' \r\n ' }, 400],
    [{ body: 'null\0' }, 400],
    [{ to: `<sip:1@${office.server}>;tag=none` }, 481],
  ]
  for (const [more, status] of cases) assert.equal((await write(phone, office, more)).status, status, JSON.stringify(more).slice(0, 80))
})

test('rejects an invalid address', async (t) => {
  const office = await Office.open(t)
  const dialled: string[] = []
  office.telephony.messages.onText(async ({ to }) => {
    dialled.push(to)
    return 'accepted'
  })
  const { phone } = await office.phone()
  const [address, port] = office.server.split(':')
  const flow = { kind: 'udp', address: address ?? '', port: Number(port) } as const
  const statuses: number[] = []
  for (const uri of ['http://example.org/', 'tel:+4915799912345', `sip:${office.server}`, `sip:%00@${office.server}`])
    statuses.push(
      (await phone.request('MESSAGE', uri, { flow, contentType: plain, body: 'Hi', routes: [`<sip:${office.server};lr>`] })).status,
    )
  assert.deepEqual(statuses, [416, 202, 202, 202])
  assert.deepEqual(dialled, ['+4915799912345', '', ''])
  assert.equal((await write(phone, office)).status, 202, 'it is still there')
  assert.deepEqual(office.failures, [])
})

test('rejects an undeliverable message with a SIP status', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.phone()
  assert.equal((await write(phone, office)).status, 480, 'nobody takes messages yet')
  const codes = {
    insufficient_funds: 402,
    sms_sender_missing: 403,
    sms_not_found: 403,
    callee_invalid: 404,
    line_unavailable: 480,
  } as const
  for (const [code, status] of Object.entries(codes)) {
    office.telephony.messages.onText(() => Promise.reject(new Problem(code as keyof typeof codes, 'Because "so".')))
    const response = await write(phone, office)
    assert.deepEqual([response.status, response.header('warning')], [status, String.raw`399 offhook "Because \"so\"."`])
  }
  office.telephony.messages.onText(() => Promise.reject(new Error('a fault of ours')))
  assert.equal((await write(phone, office)).status, 500)
  assert.equal(office.failures.length, 1)
})

test('rate-limits a phone without affecting others', async (t) => {
  const office = await Office.open(t)
  office.telephony.messages.onText(async () => 'accepted')
  const [one, other] = [await office.phone(), await office.phone()]
  const statuses = await Promise.all(Array.from({ length: 25 }, () => write(one.phone, office).then(({ status }) => status)))
  const refused = statuses.filter((status) => status === 480).length
  assert.ok(refused >= 3 && refused <= 5, `${refused} were refused`)
  assert.equal((await write(other.phone, office)).status, 202)
})
