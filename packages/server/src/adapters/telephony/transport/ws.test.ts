// test: real time
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { makeCertificate } from '#test/machine/certificate.ts'
import { openTransports as open, ping, reply } from '#test/phones/sip-sockets.ts'

const webSocket = async (t: TestContext, url: string, options: { ca?: string } = {}, protocols = ['sip']): Promise<WebSocket> => {
  const socket = new WebSocket(url, protocols, options)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

test('SIP over WebSocket, with and without TLS: one message per frame, answers as text', async (t) => {
  const certificate = await makeCertificate(t)
  const listen = { host: '127.0.0.1', port: 0 }
  const { transports, inbox, closed } = await open(t, { ws: listen, wss: listen, certificate })
  for (const kind of ['ws', 'wss'] as const) {
    const browser = await webSocket(t, `${kind}://127.0.0.1:${transports.port(kind)}/any`, { ca: certificate.cert })
    assert.equal(browser.protocol, 'sip')
    browser.send(ping.toString())
    const { from, text } = await inbox.next()
    assert.deepEqual([from.kind, text], [kind, ping.toString()])
    browser.send(ping) // binary is accepted, too
    assert.equal((await inbox.next()).text, ping.toString())
    transports.send(reply, from, assert.ifError)
    const [data, binary] = (await once(browser, 'message')) as [Buffer, boolean]
    assert.deepEqual([data.toString(), binary], [reply.toString(), false])
    browser.send('\r\n\r\n')
    assert.equal(String(((await once(browser, 'message')) as [Buffer])[0]), '\r\n')
    const { connection, ...peer } = from
    assert.equal(transports.reaches(peer), true)
    browser.close()
    assert.equal(await closed.next(), connection)
  }
})

test('rejects a WebSocket without the subprotocol, and closes it on a message that is too large', async (t) => {
  const { transports, closed } = await open(t, { ws: { host: '127.0.0.1', port: 0 } })
  const url = `ws://127.0.0.1:${transports.port('ws')}/`
  for (const protocols of [[], ['chat']]) await assert.rejects(webSocket(t, url, {}, protocols), /400/)
  assert.equal((await fetch(url.replace('ws', 'http'))).status, 426)
  const browser = await webSocket(t, url)
  browser.send(Buffer.alloc(70_000))
  const [code] = (await once(browser, 'close')) as [number]
  assert.equal(code, 1009)
  await closed.next()
})

test('drops a browser that answers no pings, and keeps one that does', async (t) => {
  const { transports, clock, inbox } = await open(t, { ws: { host: '127.0.0.1', port: 0 } })
  const url = `ws://127.0.0.1:${transports.port('ws')}/`
  const deaf = new WebSocket(url, ['sip'], { autoPong: false })
  t.after(() => deaf.terminate())
  await once(deaf, 'open')
  deaf.send(ping)
  await inbox.next()
  const alive = await webSocket(t, url)
  alive.send(ping)
  await inbox.next()
  const gone = once(deaf, 'close')
  for (let round = 0; round < 3; round++) {
    const pinged = once(alive, 'ping')
    await clock.advance(20_000)
    await pinged
    await new Promise(setImmediate)
  }
  await gone
  assert.equal(alive.readyState, WebSocket.OPEN)
})

test('phones may connect over an HTTP server with other uses', async (t) => {
  const http = createServer((_request, response) => response.end('hello'))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.after(() => http.close())
  const { transports, inbox } = await open(t)
  const base = `127.0.0.1:${(http.address() as AddressInfo).port}`
  http.on('upgrade', (request, socket, head) => transports.takeUpgrade({ request, socket, head, ip: '192.0.2.9' }))
  const browser = new WebSocket(`ws://${base}/sip?x=1`, ['sip'])
  t.after(() => browser.terminate())
  await once(browser, 'open')
  browser.send(ping)
  assert.equal((await inbox.next()).from.address, '192.0.2.9')
  assert.equal(await (await fetch(`http://${base}/`)).text(), 'hello')
  const gone = once(browser, 'close')
  await transports.close()
  await gone
  assert.equal(await (await fetch(`http://${base}/`)).text(), 'hello')
  await assert.rejects(webSocket(t, `ws://${base}/sip`))
})
