import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { startKannel } from '#test/peers/kannel.ts'
import { international, startMessageCentre } from '#test/peers/message-centre.ts'
import { until } from '#test/machine/peer-process.ts'
import { newMobileNumber, openSmsOffice, outside, ownMobile, pricePerSegment } from '#test/service/sms-office.ts'

const euros = '€'.repeat(81)
const emoji = 'Grüße 👩‍🚀'

test('uses Kannel as the gateway: messages out, receipts and messages in', async (t) => {
  if (!(await needs(t, 'bearerbox', 'smsbox'))) return
  const centre = await startMessageCentre(t, (sms, n) => ({
    id: `k${n}`,
    receipt: 'after',
    state: sms.text === 'Lost' ? 'UNDELIV' : 'DELIVRD',
  }))
  const http = await freePorts(t, 1)
  // Both must know the other's address before either starts: ours is chosen, and its secret comes from the operator API.
  const settings = { OFFHOOK_HTTP: `127.0.0.1:${http}` }
  const first = await startExchange(t, { ...settings, OFFHOOK_SMS_GATEWAY_URL: 'http://me:pw@127.0.0.1:9/' })
  const messagesUrl = (await first.operator.listSmsRoutes()).items[0]?.messagesUrl ?? ''
  assert.match(messagesUrl, new RegExp(`^http://127.0.0.1:${http}/gateway/v1/[\\w-]{43}/messages$`))
  first.program.child.kill('SIGTERM')
  await first.program.ended
  const smsc = { port: centre.port, systemId: 'offhook', password: 'secret' }
  const kannel = await startKannel(t, { smsc, messagesUrl })
  const exchange = await startExchange(t, { ...settings, OFFHOOK_SMS_GATEWAY_URL: kannel.sendUrl, OFFHOOK_DATA: first.data })
  const office = await openSmsOffice(exchange, centre)

  await office.send(euros)
  await office.entry(euros, 'DELIVERED')
  const [, one, two] = centre.submitted
  assert.deepEqual([one?.text, two?.text], ['€'.repeat(76), '€'.repeat(5)])
  assert.equal(one?.sender, ownMobile.slice(1))
  await office.send(emoji)
  await office.entry(emoji, 'DELIVERED')
  assert.deepEqual([centre.submitted[3]?.text, centre.submitted[3]?.dataCoding], [emoji, 8])
  await office.send('Lost')
  await office.entry('Lost', 'FAILED')
  assert.equal(await office.spent(), 4 * pricePerSegment)

  const number = await newMobileNumber(exchange, office.smsId)
  const from = international(outside, number)
  await centre.deliver({ ...from, data_coding: 0, short_message: 'Hallo  Büro @ 100 % {€}' })
  const entry = await office.entry('Hallo  Büro @ 100 % {€}')
  assert.deepEqual([entry.direction, entry.source, entry.target], ['INCOMING', outside, number])
  await centre.deliver({ ...from, data_coding: 8, short_message: Buffer.from(`Привет ${emoji}`, 'utf16le').swap16() })
  await office.entry(`Привет ${emoji}`)

  const status = async (path: string): Promise<number> => (await fetch(messagesUrl.replace(/[\w-]{43}\/messages$/, path))).status
  const secret = /[\w-]{43}/.exec(messagesUrl)?.[0] ?? ''
  assert.equal(await status(`${'x'.repeat(43)}/messages?from=1&to=2&text=3`), 404)
  assert.equal(await status(`${secret}/messages?from=1&text=3`), 400)
  assert.equal(await status(`${secret}/messages?from=1&to=2%00&text=3`), 400)
  assert.equal(await status(`${secret}/messages?from=1&to=2&text=3&charset=KOI8-R`), 400)
  assert.equal(await status(`${secret}/receipts?id=unknown&type=1`), 204)
  assert.equal(await status(`${secret}/receipts?type=1`), 400)
})

/** Receives Kannel's deliveries to its own customer. */
const startListener = async (t: Scope): Promise<{ url: string; heard: URLSearchParams[] }> => {
  const heard: URLSearchParams[] = []
  const address = await startLoopbackServer(t, (request, reply) => {
    heard.push(new URL(request.url ?? '', 'http://listener').searchParams)
    reply.writeHead(204).end()
  })
  return { url: `http://${address}/`, heard }
}

test('serves Kannel as a customer’s program at the SMPP server, both ways', async (t) => {
  if (!(await needs(t, 'bearerbox', 'smsbox'))) return
  const centre = await startMessageCentre(t, (_sms, n) => ({ id: `k${n}`, receipt: 'after' }))
  const exchange = await startExchange(t, { OFFHOOK_SMPP: '127.0.0.1:0', OFFHOOK_SMPP_URL: centre.url })
  const office = await openSmsOffice(exchange, centre)
  const { smsId } = office
  const { userId } = exchange
  const { systemId, password, addresses } = await exchange.admin.createSmppLogin({ userId, smsId })
  const { url, heard } = await startListener(t)
  const port = Number(new URL(addresses[0] ?? '').port)
  const kannel = await startKannel(t, { smsc: { port, systemId, password }, messagesUrl: url })

  const notified = { 'dlr-mask': '31', 'dlr-url': `${url}?type=%d` }
  const send = (text: string, coding: string): Promise<string> => kannel.send({ from: ownMobile, to: outside, text, coding, ...notified })
  assert.match(await send(euros, '0'), /Accepted/)
  await office.entry(euros, 'DELIVERED')
  const types = (): (string | null)[] => heard.map((one) => one.get('type')).filter((type) => type !== null)
  await until('the receipt at Kannel’s customer', () => types().includes('1') || undefined)
  assert.match(await send(emoji, '2'), /Accepted/)
  await office.entry(emoji, 'DELIVERED')
  assert.deepEqual(
    centre.submitted.slice(1).map(({ text }) => text),
    ['€'.repeat(76), '€'.repeat(5), emoji],
  )
  assert.equal(await office.spent(), 3 * pricePerSegment)

  const number = await newMobileNumber(exchange, smsId)
  await centre.deliver({ ...international(outside, number), data_coding: 0, short_message: 'Für Kannel' })
  const arrived = await until('the message at Kannel’s customer', () => heard.find((one) => one.has('text')))
  assert.deepEqual([arrived.get('from'), arrived.get('to'), arrived.get('text')], [outside, number, 'Für Kannel'])
})
