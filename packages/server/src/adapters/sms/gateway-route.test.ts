import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { SmsLater, SmsRefused, type SmsPart } from '#core/kernel/ports/messages.ts'
import { outboundHttp } from '../outbound-http.ts'
import { realClock } from '../clock/clocks.ts'
import { GatewayRoute } from './gateway-route.ts'
import { readGatewayUrl } from './gateway-url.ts'

const part: SmsPart = {
  sender: '+4915799912345',
  recipient: '+491701234567',
  encoding: 'UCS2',
  payload: new Uint8Array(),
  text: 'Grüße & 50 % 😀+',
}

/** A gateway with the same reply to every request; undefined: it closes the connection. */
const startGateway = async (t: TestContext, answer: { status: number; text: string } | undefined, port = 0) => {
  const asked: URL[] = []
  const server = createServer((request, reply) => {
    asked.push(new URL(request.url ?? '', 'http://gateway'))
    if (!answer) request.socket.destroy()
    else reply.writeHead(answer.status, { 'content-type': 'text/html' }).end(answer.text)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: listening } = server.address() as AddressInfo
  const outbound = outboundHttp({ allow: [`127.0.0.1:${listening}`] })
  t.after(async () => {
    await outbound.close()
    server.close()
    server.closeAllConnections()
  })
  const gateway = readGatewayUrl(`http://me:p%26w@127.0.0.1:${listening}/cgi-bin/sendsms?smsc=berlin`)
  const route = new GatewayRoute({
    clock: realClock(),
    gateway,
    outbound,
    receiptsUrl: () => 'https://us.example/gateway/v1/secret/receipts',
  })
  return { route, asked, server }
}

test("sends a message in Kannel's format, with receipts that name the route's id", async (t) => {
  const { route, asked } = await startGateway(t, { status: 202, text: '0: Accepted for delivery' })
  const { id } = await route.submit(part)
  const [url] = asked
  assert.equal(url?.pathname, '/cgi-bin/sendsms')
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    smsc: 'berlin',
    username: 'me',
    password: 'p&w',
    from: '+4915799912345',
    to: '+491701234567',
    text: part.text,
    charset: 'UTF-8',
    coding: '2',
    'dlr-mask': '19',
    'dlr-url': `https://us.example/gateway/v1/secret/receipts?id=${id}&type=%d&answer=%A`,
  })
  const second = await route.submit({ ...part, encoding: 'GSM7', text: 'Hello' })
  assert.notEqual(second.id, id)
  assert.equal(asked[1]?.searchParams.get('coding'), '0')
})

test("the gateway's answer decides whether to retry", async (t) => {
  const outcomes: [number, typeof SmsLater | typeof SmsRefused | typeof Error][] = [
    [400, SmsRefused],
    [404, SmsRefused],
    [403, SmsLater],
    [429, SmsLater],
    [503, SmsLater],
    [500, Error],
    [302, Error],
  ]
  for (const [status, expected] of outcomes) {
    const { route } = await startGateway(t, { status, text: 'Because' })
    await assert.rejects(route.submit(part), (error: Error) => {
      assert.equal(error.constructor, expected, String(status))
      assert.match(error.message, new RegExp(`${status}: Because`))
      return true
    })
    const { usable, reason } = route.state
    assert.deepEqual([usable, reason.includes('Because')], expected === SmsRefused ? [true, false] : [false, true], String(status))
  }
})

test('rejects a recipient without a Kannel route for good, and retries a wrong login', async (t) => {
  const { route } = await startGateway(t, { status: 403, text: 'Not routable. Do not try again.' })
  await assert.rejects(route.submit(part), SmsRefused)
  assert.equal(route.state.usable, true)
})

test('does not log parts of the request, even if the gateway repeats them', async (t) => {
  for (const echoed of [
    '/cgi-bin/sendsms?username=me&password=p%26w',
    `no route to ${part.recipient.slice(1)}`,
    `bad words: ${part.text}`,
  ]) {
    const { route } = await startGateway(t, { status: 500, text: `<h1>Oops</h1> ${echoed}` })
    await assert.rejects(route.submit(part), { message: 'the gateway answered 500' })
    assert.equal(route.state.reason, 'the gateway answered 500')
  }
})

test('no connection: surely not sent; connection closed before the reply: possibly sent', async (t) => {
  const { route } = await startGateway(t, undefined)
  await assert.rejects(route.submit(part), (error) => !(error instanceof SmsLater) && !(error instanceof SmsRefused))
  const gone = await startGateway(t, undefined)
  gone.server.close()
  await once(gone.server, 'close')
  await assert.rejects(gone.route.submit(part), (error) => error instanceof SmsLater && !/127\.0/.test(error.message))
})

test('rejects addresses that name no gateway', () => {
  for (const text of ['ftp://me@host/', 'http://host/no-login', 'nonsense', 'http://me:pw@host/#part', 'http://me:50%@host/'])
    assert.throws(() => readGatewayUrl(text), /such as http:/, text)
})
